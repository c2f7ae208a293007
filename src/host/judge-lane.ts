/**
 * The work of a lane that judges: a clean tree at the recorded commit, another role, a fresh
 * session, one question. Its answer is read strictly by {@link Judges}; anything unclear is no
 * pass.
 */
import { join } from 'node:path';
import { outputsOf } from '../domain/verdict/outputs.ts';
import type { JudgeAnswer, JudgeRequest } from '../ports/judge.ts';
import type { Dispatch } from '../ports/plane.ts';
import { agentTurn } from './agent-turn.ts';
import { type DoorStop, doorStop, explainedEnd } from './door-outcome.ts';
import { diedIn } from './execute-lane.ts';
import { failed, type LaneWork, type Outcome, reached, told } from './lane-work.ts';
import { redactText } from './redact.ts';
import { classFor, withRoom } from './room.ts';
import { shownFiles } from './shown-files.ts';
import type { Turn } from './turn.ts';
import { readLeft } from './turn-files.ts';
import { verdictFacts } from './verdict-facts.ts';

const patchBytesMax = 200_000;

export async function judgeLane(work: LaneWork): Promise<Outcome> {
  const { dispatch } = work;
  const role = dispatch.definition.roles.verify;
  const [criterion] = dispatch.criteria;
  if (role === null || criterion === undefined) {
    const detail = 'a judge was dispatched without a role or a criterion';
    return failed({ class: 'dispatch_failed', detail });
  }
  let place: Awaited<ReturnType<typeof openPlace>>;
  let request: JudgeRequest;
  try {
    request = { ...(await requestOf(work)), criterion };
    place = await openPlace(work);
  } catch (error: unknown) {
    return failed({ class: classFor(error, 'dispatch_failed'), detail: told(error, work.secrets) });
  }
  try {
    if (work.signal.aborted) return { how: 'stopped', proof: 'kernel' };
    const files = await shownFiles(work, criterion, place.directory);
    const prompt = work.options.judges.prompt(files === null ? request : { ...request, files });
    const asked: Dispatch = { ...dispatch, prompt, history: '' };
    const taken = await agentTurn(work, {
      role,
      dispatch: asked,
      cwd: place.directory,
      workTree: null,
    });
    if (!taken.ok) return taken.outcome;
    const { turn } = taken;
    const none = noJudgement(work, turn) ?? leftMute(turn);
    if (none !== null) return none;
    const { end } = turn;
    const ended =
      turn.endedBy !== 'deadline' && !['lane_died', 'limit', 'failed'].includes(end.outcome);
    const said = end.outcome === 'turn_ended' ? end.text : null;
    const text = said === null ? await answerOf(work, turn) : redactText(said, work.secrets);
    return await conclude(work, request, { text, ended, durationMs: turn.durationMs });
  } finally {
    await place.remove();
  }
}

/** A judge that was stopped, refused or failed has not judged; null: it has said something. */
function noJudgement(work: LaneWork, turn: Turn): Outcome | null {
  const proof = turn.proof.strength;
  if (turn.endedBy === 'stop') return { how: 'stopped', proof };
  const door = work.door.state();
  const stop = doorStop(door?.closed ?? null);
  if (stop !== null) return stoppedJudge(stop, turn);
  const end = explainedEnd(turn.end, door?.trouble ?? null);
  // What it says of an end that it was asked for, having been refused too often, is no failure.
  if (end.outcome !== 'failed' || turn.denied?.isAfterItsEnd === false) return null;
  const { class: kind, usage } = end;
  return failed({ class: kind, detail: redactText(end.detail, work.secrets), proof, usage });
}

/** It left in good order without a word: that is no judgement either, and it is asked again. */
function leftMute({ end, endedBy, exit, resultFile, proof }: Turn): Outcome | null {
  if (end.outcome !== 'lane_died' || resultFile !== null) return null;
  const died = diedIn({ endedBy, exit }, end.detail);
  if (!('cleanExit' in died)) return null;
  return failed({ ...died, proof: proof.strength, usage: end.usage });
}

/** What a judge says after its calls were refused is no judgement. */
function stoppedJudge(stop: DoorStop, { proof }: Turn): Outcome {
  const { strength } = proof;
  return stop.how === 'limit'
    ? failed({ class: 'rate_limited', detail: 'the usage limit is reached', proof: strength })
    : failed({ class: stop.class, detail: stop.detail, proof: strength });
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

/** The first that is there: the result file, the file of `{verdict}`, what it printed. */
async function answerOf(work: LaneWork, turn: Turn): Promise<string | null> {
  const left = turn.resultFile ?? (await readLeft(join(work.spool.turn, 'verdict.json')));
  const text = left === null ? turn.stdout.text() : redactText(left, work.secrets);
  return text.trim() === '' ? null : text;
}

async function requestOf(work: LaneWork): Promise<Omit<JudgeRequest, 'criterion'>> {
  const { dispatch, options } = work;
  const { definition, job } = dispatch;
  const { base } = definition.source;
  const diff =
    base === null || job.commit === null
      ? ''
      : await options.workspace.patch(definition.project.root, base, job.commit, patchBytesMax);
  return {
    run: dispatch.run,
    execution: dispatch.execution,
    definition,
    commit: job.commit,
    lastHint: dispatch.hints.at(-1) ?? null,
    material: { name: 'patch', text: diff },
  };
}

/** Without git there is one folder, and the judge looks at that. */
async function openPlace(work: LaneWork): ReturnType<LaneWork['options']['judgeTree']> {
  const { dispatch, options } = work;
  const { commit } = dispatch.job;
  if (commit !== null) return options.judgeTree({ dispatch, commit, signal: work.signal });
  return { directory: dispatch.definition.project.root, remove: async () => {} };
}
