/**
 * The work of a lane that judges: another role than the maker's, asked one question. Its answer is
 * read strictly by {@link Judges}; anything unclear is no pass.
 */
import { outputsOf } from '../domain/verdict/outputs.ts';
import type { JudgeAnswer, JudgeRequest } from '../ports/judge.ts';
import { failed, type LaneWork, type Outcome, reached } from './lane-work.ts';
import { materialOf, readingLane } from './reading-lane.ts';
import { withRoom } from './room.ts';
import { shownFiles } from './shown-files.ts';
import { verdictFacts } from './verdict-facts.ts';

export async function judgeLane(work: LaneWork): Promise<Outcome> {
  const { dispatch, options } = work;
  const role = dispatch.definition.roles.verify;
  const [criterion] = dispatch.criteria;
  if (role === null || criterion === undefined) {
    const detail = 'a judge was dispatched without a role or a criterion';
    return failed({ class: 'dispatch_failed', detail });
  }
  return readingLane(work, async () => {
    const request: JudgeRequest = { ...(await requestOf(work)), criterion };
    return {
      role,
      prompt: async (directory) => {
        const files = await shownFiles(work, criterion, directory);
        return options.judges.prompt(files === null ? request : { ...request, files });
      },
      conclude: ({ text, ended, turn: { durationMs, exit } }) =>
        conclude(work, request, { text, ended, exit, durationMs }),
    };
  });
}

async function conclude(
  work: LaneWork,
  request: JudgeRequest,
  answer: JudgeAnswer,
): Promise<Outcome> {
  const verdict = await work.options.judges.verdict(request, answer);
  const said = JSON.stringify(verdict);
  const digest = await withRoom(work, () => work.options.artifacts.put(said, 'verdict'));
  reached(work, 'artifacts-put');
  const [facts, outputs] = [verdictFacts(verdict), outputsOf(verdict.criteria)];
  return { how: 'result', result: { kind: 'verified', verdict: digest, facts, outputs } };
}

async function requestOf(work: LaneWork): Promise<Omit<JudgeRequest, 'criterion'>> {
  const { dispatch } = work;
  return {
    run: dispatch.run,
    execution: dispatch.execution,
    definition: dispatch.definition,
    commit: dispatch.job.commit,
    lastHint: dispatch.hints.at(-1) ?? null,
    material: await materialOf(work),
  };
}
