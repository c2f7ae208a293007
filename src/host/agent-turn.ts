/**
 * Launches the agent of a role for one turn: files, environment, contained process, start message.
 */
import type { Role } from '../domain/definition/definition.ts';
import type { Adapter, Launch, TurnFiles } from '../ports/agent.ts';
import type { Dispatch } from '../ports/plane.ts';
import { laneEnvironment } from './environment.ts';
import { failed, type LaneWork, type Outcome, reached, told } from './lane-work.ts';
import { classFor } from './room.ts';
import { runTurn, type Turn, turnSpans } from './turn.ts';
import { removeHistory, writeTurnFiles } from './turn-files.ts';

export interface AgentTurnRequest {
  readonly role: Role;
  /** The dispatch with the prompt that this role is given. */
  readonly dispatch: Dispatch;
  readonly cwd: string;
  readonly workTree: string | null;
}

export type AgentTurn =
  | { readonly ok: true; readonly turn: Turn; readonly adapter: Adapter; readonly files: TurnFiles }
  | { readonly ok: false; readonly outcome: Outcome };

export async function agentTurn(work: LaneWork, request: AgentTurnRequest): Promise<AgentTurn> {
  try {
    const files = writeTurnFiles(work.spool.turn, request.dispatch);
    const adapter = work.options.adapter(request.role);
    const launch = adapter.launch(request.dispatch, files, request.cwd);
    const turn = await take(work, { ...request, files, launch }).finally(() =>
      removeHistory(files),
    );
    reached(work, 'tree-ended');
    work.journal.note(`the turn ended by ${turn.endedBy}; ${turn.proof.strength} proof`);
    for (const gap of turn.proof.gaps) work.journal.note(`not excluded: ${gap}`);
    return { ok: true, turn, adapter, files };
  } catch (error: unknown) {
    // Nothing ran, or what ran was ended on the way out; the run is told what the matter is.
    const detail = told(error, work.secrets);
    return { ok: false, outcome: failed({ class: classFor(error, 'dispatch_failed'), detail }) };
  }
}

function take(
  work: LaneWork,
  request: AgentTurnRequest & { readonly files: TurnFiles; readonly launch: Launch },
): Promise<Turn> {
  const { options, dispatch, secrets, journal, signals, spool } = work;
  const env = laneEnvironment({
    host: options.env,
    policy: dispatch.definition.env,
    secrets: givenSecrets(work),
    // The door's address stands over one that the definition sets: it is asked in its place.
    adapter: { ...request.launch.env, ...work.door.env },
    execution: dispatch.execution,
  });
  return runTurn(
    {
      launch: request.launch,
      env,
      execution: dispatch.execution,
      spool: spool.directory,
      cwd: request.cwd,
      workTree: request.workTree,
      files: request.files,
      deadlineMs: leftMs(work),
      secrets,
      signal: work.signal,
      hurry: work.lease.hurry,
    },
    {
      processes: options.processes,
      clock: options.clock,
      journal,
      signals,
      spans: { ...turnSpans, ...options.spans },
      onJournalFailure: (error) => options.log?.(`journal: ${told(error)}`),
      onStarted: async ({ pid, record }) => {
        reached(work, 'spawned');
        journal.note(`the agent runs as pid ${pid}, contained by ${record.rung}`);
        await tellStart(work, record.rung, pid);
        reached(work, 'started');
      },
    },
  );
}

/** Keys that the models door puts in are not the lane's to hold, nor is the door's own token. */
function givenSecrets({ secrets, door }: LaneWork): Record<string, string> {
  const kept = new Set([...door.withheld, ...Object.keys(door.secrets)]);
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => !kept.has(name)));
}

/** What is left of the execution's time; making its tree has taken some. */
function leftMs({ dispatch, options, claimedAtMs }: LaneWork): number {
  return Math.max(1, dispatch.deadlineMs - (options.clock.monotonicMs() - claimedAtMs));
}

/** A refusal shows at the next beat too; a plane that does not answer now is told by the result. */
async function tellStart(work: LaneWork, rung: string, pid: number): Promise<void> {
  try {
    const answer = await work.options.plane.start({ ...work.grant, rung, pid });
    if (!answer.ok) await work.lease.beat();
  } catch (error: unknown) {
    work.options.log?.(`start: ${told(error)}`);
  }
}
