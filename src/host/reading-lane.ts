/**
 * One turn of a lane that reads: a clean tree at the recorded commit, a fresh session, one
 * question. What it answers is for whoever asked to judge; whoever was stopped, refused or cut has
 * not answered.
 */
import { join } from 'node:path';
import type { Role } from '../domain/definition/definition.ts';
import type { JudgeRequest } from '../ports/judge.ts';
import { agentTurn } from './agent-turn.ts';
import { type DoorStop, doorStop, explainedEnd } from './door-outcome.ts';
import { diedIn, unstartedIn } from './execute-lane.ts';
import { failed, type LaneWork, type Outcome, told } from './lane-work.ts';
import { redactText } from './redact.ts';
import { classFor } from './room.ts';
import type { Turn } from './turn.ts';
import { readLeft } from './turn-files.ts';

const patchBytesMax = 200_000;

export interface Heard {
  /** Redacted; null: it said nothing. */
  readonly text: string | null;
  /** It came to the end of its turn by itself. */
  readonly ended: boolean;
  readonly turn: Turn;
}

export interface Asking {
  readonly role: Role;
  /** What it is asked, in the folder that it stands in. */
  readonly prompt: (directory: string) => Promise<string>;
  readonly conclude: (heard: Heard) => Promise<Outcome>;
}

export async function readingLane(
  work: LaneWork,
  prepare: () => Promise<Asking>,
): Promise<Outcome> {
  let place: Awaited<ReturnType<typeof openPlace>>;
  let asking: Asking;
  try {
    asking = await prepare();
    place = await openPlace(work);
  } catch (error: unknown) {
    return failed({ class: classFor(error, 'dispatch_failed'), detail: told(error, work.secrets) });
  }
  try {
    if (work.signal.aborted) return { how: 'stopped', proof: 'kernel' };
    const prompt = await asking.prompt(place.directory);
    const dispatch = { ...work.dispatch, prompt, history: '' };
    const at = { cwd: place.directory, workTree: null };
    const taken = await agentTurn(work, { role: asking.role, dispatch, ...at });
    if (!taken.ok) return taken.outcome;
    const { turn } = taken;
    const none = noAnswer(work, turn) ?? leftMute(turn);
    if (none !== null) return none;
    const { end } = turn;
    const ended =
      turn.endedBy !== 'deadline' && !['lane_died', 'limit', 'failed'].includes(end.outcome);
    const said = end.outcome === 'turn_ended' ? end.text : null;
    const text = said === null ? await answerOf(work, turn) : legible(said, work);
    const unstarted = text === null ? unstartedIn(end, turn) : null;
    if (unstarted !== null) {
      const detail = `${asking.role.profile}: ${unstarted.detail}`;
      return failed({ ...unstarted, detail, proof: turn.proof.strength });
    }
    return await asking.conclude({ text, ended, turn });
  } finally {
    await place.remove();
  }
}

/** Who was stopped, refused or failed has not answered; null: it has said something. */
function noAnswer(work: LaneWork, turn: Turn): Outcome | null {
  const proof = turn.proof.strength;
  if (turn.endedBy === 'stop') return { how: 'stopped', proof };
  const door = work.door.state();
  const stop = doorStop(door?.closed ?? null);
  if (stop !== null) return refused(stop, turn);
  const end = explainedEnd(turn.end, door?.trouble ?? null);
  // What it says of an end that it was asked for, having been refused too often, is no failure.
  if (end.outcome !== 'failed' || turn.denied?.isAfterItsEnd === false) return null;
  const { class: kind, usage } = end;
  return failed({ class: kind, detail: redactText(end.detail, work.secrets), proof, usage });
}

/** It left in good order without a word: that is no answer either, and it is asked again. */
function leftMute({ end, endedBy, exit, resultFile, proof }: Turn): Outcome | null {
  if (end.outcome !== 'lane_died' || resultFile !== null) return null;
  const died = diedIn({ endedBy, exit }, end.detail);
  if (!('cleanExit' in died)) return null;
  return failed({ ...died, proof: proof.strength, usage: end.usage });
}

/** What somebody says after its calls were refused is no answer. */
function refused(stop: DoorStop, { proof }: Turn): Outcome {
  const { strength } = proof;
  return stop.how === 'limit'
    ? failed({ class: 'rate_limited', detail: 'the usage limit is reached', proof: strength })
    : failed({ class: stop.class, detail: stop.detail, proof: strength });
}

/** The first that is there: the result file, the file of `{verdict}`, what it printed. */
async function answerOf(work: LaneWork, turn: Turn): Promise<string | null> {
  const left = turn.resultFile ?? (await readLeft(join(work.spool.turn, 'verdict.json')));
  return legible(left ?? turn.stdout.text(), work);
}

/** Redacted; null: there is nothing to read. */
function legible(text: string, { secrets }: LaneWork): string | null {
  return text.trim() === '' ? null : redactText(text, secrets);
}

/** The work from the base to the recorded commit, as text. */
export async function materialOf(work: LaneWork): Promise<JudgeRequest['material']> {
  const { dispatch, options } = work;
  const { definition, job } = dispatch;
  const { base } = definition.source;
  const text =
    base === null || job.commit === null
      ? ''
      : await options.workspace.patch(definition.project.root, base, job.commit, patchBytesMax);
  return { name: 'patch', text };
}

/** Before anything was recorded that is the base; without a tree of its own, the one folder. */
async function openPlace(work: LaneWork): ReturnType<LaneWork['options']['judgeTree']> {
  const { dispatch, options } = work;
  const { source, project } = dispatch.definition;
  const commit = dispatch.job.commit ?? (source.isolation === 'worktree' ? source.base : null);
  if (commit !== null) return options.judgeTree({ dispatch, commit, signal: work.signal });
  return { directory: project.root, remove: async () => {} };
}
