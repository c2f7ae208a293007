/**
 * The birth of a run: terms that could be endless or judge themselves are refused here too (EV-32).
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import { executionId } from '../ids.ts';
import type { RunCommand, RunEvent, RunRejection } from './message.ts';
import type { RunState } from './state.ts';
import { termsProblem } from './terms.ts';

type Start = Extract<RunCommand, { type: 'start' }>;

export function start(state: RunState, command: Start): Result<readonly RunEvent[], RunRejection> {
  if (state.status !== 'unborn') return err({ code: 'run.exists' });
  const detail = termsProblem(command.terms);
  if (detail !== null) return err({ code: 'terms.invalid', detail });
  const { run, name, project, definition, terms, resumedFrom, from, principal, at } = command;
  const execution = executionId(run, 1);
  return ok([
    {
      type: 'run.started',
      run,
      name,
      project,
      definition,
      terms,
      startedBy: principal.kind,
      actor: principal.actor,
      resumedFrom,
      from,
      at,
    },
    {
      type: 'job.dispatched',
      execution,
      n: 1,
      attempt: 1,
      point: { job: 'prepare' },
      why: 'first',
      tries: 0,
      parseRetries: 0,
      at,
    },
  ]);
}
