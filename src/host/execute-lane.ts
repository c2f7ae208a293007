/**
 * The work of a lane that makes: tree, turn, proof, snapshot, findings, artifacts
 * (design/lane-host.md 5–10). What the agent says about its success is not asked for; what it left
 * is recorded.
 */
import type { Finding, JobResult, LaneEnd } from '../domain/execution/state.ts';
import type { Commit, Digest, Instant } from '../domain/ids.ts';
import { invariant } from '../kernel/invariant.ts';
import { clipLine } from '../kernel/text.ts';
import type { TurnEnd } from '../ports/agent.ts';
import type { CheckoutPrint, Snapshot, Tree } from '../ports/workspace.ts';
import { attestLeft } from './attest-left.ts';
import { type DoorStop, doorStop, explainedEnd } from './door-outcome.ts';
import { enterTree } from './enter-tree.ts';
import { journalOf } from './kept-journal.ts';
import {
  type Failure,
  failed,
  type LaneWork,
  noUsage,
  type Outcome,
  reached,
  told,
} from './lane-work.ts';
import { redactText } from './redact.ts';
import { findingsOf, restoreFindings } from './restore-findings.ts';
import { classFor, withRoom } from './room.ts';
import type { Turn } from './turn.ts';
import { driveTurns } from './turn-driver.ts';

export async function executeLane(work: LaneWork): Promise<Outcome> {
  const { dispatch, options } = work;
  const entered = await enterTree(work);
  if (work.signal.aborted) return { how: 'stopped', proof: 'kernel' };
  if (!entered.ok) return entered.outcome;
  const { tree } = entered;
  const before = await options.workspace.fingerprint(tree.root);
  const taken = await driveTurns(work, {
    role: dispatch.definition.roles.execute,
    dispatch,
    cwd: tree.directory,
    workTree: tree.isolation === 'none' ? null : tree.directory,
  });
  if (!taken.ok) return taken.outcome;
  const { turn } = taken;
  if (turn.endedBy === 'stop') return stopped(work, tree, turn);
  const door = work.door.state();
  const stop = doorStop(door?.closed ?? null);
  const end = explainedEnd(limitedBy(stop, deniedEnd(turn)), door?.trouble ?? null);
  if (end.outcome !== 'lane_died' && end.sessionId !== null) {
    const { sessionId } = end;
    await withRoom(work, () => work.spool.write('session', { sessionId }));
  }
  return record(work, { tree, before, turn, end, stop });
}

/**
 * What was denied too often comes before whatever it says of an end that it was asked for: agents
 * call an interruption a failure. A failure or a limit that it told of before that stands.
 */
function deniedEnd({ end, denied }: Turn): TurnEnd {
  if (denied === null) return end;
  const isItsOwn = denied.isAfterItsEnd && (end.outcome === 'failed' || end.outcome === 'limit');
  if (isItsOwn) return end;
  const { usage } = end;
  const sessionId = end.outcome === 'lane_died' ? null : end.sessionId;
  return { outcome: 'permission_denied', text: denied.title, until: null, usage, sessionId };
}

/** A lane that was refused until a reset waits for it, however it took the refusal. */
function limitedBy(stop: DoorStop | null, end: TurnEnd): TurnEnd {
  if (stop?.how !== 'limit') return end;
  const sessionId = end.outcome === 'lane_died' ? null : end.sessionId;
  return { outcome: 'limit', text: null, until: stop.until, usage: end.usage, sessionId };
}

interface Ended {
  readonly tree: Tree;
  readonly before: CheckoutPrint;
  readonly turn: Turn;
  readonly end: TurnEnd;
  /** What the models door had refused when the turn ended. */
  readonly stop: DoorStop | null;
}

/**
 * Unfinished work is kept under a ref of its own, so that nothing depends on the tree's survival.
 */
async function stopped(work: LaneWork, tree: Tree, turn: Turn): Promise<Outcome> {
  try {
    const commit = await work.options.workspace.salvage(tree, work.dispatch.execution);
    if (commit !== null) work.journal.note(`unfinished work is kept as ${commit}`);
  } catch (error: unknown) {
    work.journal.note(`unfinished work stays in the tree: ${told(error)}`);
  }
  return { how: 'stopped', proof: turn.proof.strength };
}

async function record(work: LaneWork, ended: Ended): Promise<Outcome> {
  let snapshot: Snapshot;
  let findings: readonly Finding[];
  try {
    snapshot = await withRoom(work, () => snapshotOf(work, ended.tree));
    reached(work, 'snapshotted');
    findings = await findingsOf(work, ended.tree, ended.before);
    if (mustRestore(work, ended.tree, findings)) {
      await restoreFindings(work, ended.tree, { before: ended.before, kinds: ['protected'] });
      snapshot = await snapshotOf(work, ended.tree);
    }
  } catch (error: unknown) {
    const { strength: proof } = ended.turn.proof;
    const detail = `${await checkoutWords(work, ended)}${told(error, work.secrets)}`;
    return failed({ class: classFor(error, 'workspace_lost'), detail, proof });
  }
  for (const path of snapshot.leftOut) work.journal.note(`left out of the snapshot: ${path}`);
  return conclude(work, ended, { snapshot, findings });
}

/**
 * Without a tree there are no findings; what it did to the user's checkout is said all the same.
 */
async function checkoutWords(work: LaneWork, { tree, before }: Ended): Promise<string> {
  if (tree.isolation === 'none') return '';
  const now = await work.options.workspace.fingerprint(tree.root);
  const isSameRefs = JSON.stringify(now.refs) === JSON.stringify(before.refs);
  const refs = isSameRefs ? '' : 'branches, tags or stash changed while the agent ran; ';
  return `${now.digest === before.digest ? '' : 'the main checkout was changed; '}${refs}`;
}

/** Nothing is put back in the user's own folder: there is no undo. */
function mustRestore(work: LaneWork, tree: Tree, findings: readonly Finding[]): boolean {
  if (tree.isolation === 'none') return false;
  const isProtected = findings.some(({ kind }) => kind === 'protected');
  return isProtected && work.dispatch.definition.onProtected === 'restore';
}

function snapshotOf(work: LaneWork, tree: Tree): Promise<Snapshot> {
  const { runName, job } = work.dispatch;
  return work.options.workspace.snapshot(tree, `pawl ${runName}: attempt ${job.attempt}`);
}

interface Recorded {
  readonly snapshot: Snapshot;
  readonly findings: readonly Finding[];
}

async function conclude(work: LaneWork, ended: Ended, recorded: Recorded): Promise<Outcome> {
  const { turn, end } = ended;
  const commit: Commit | null = recorded.snapshot.commit;
  const { strength: proof } = turn.proof;
  const failure = failureOf(ended) ?? unstarted(work, ended, recorded.snapshot);
  if (failure !== null) {
    const detail = redactText(failure.detail, work.secrets);
    return failed({ ...failure, detail, proof, commit, usage: end.usage });
  }
  invariant(end.outcome !== 'lane_died' && end.outcome !== 'failed', 'what failed has no result');
  const text = await textOf(work, end);
  const left = await attestLeft(work, ended.tree, commit);
  const journal = await journalOf(work);
  reached(work, 'artifacts-put');
  const result: Extract<JobResult, { kind: 'executed' }> = {
    kind: 'executed',
    outcome: end.outcome,
    commit,
    equalsBase: recorded.snapshot.equalsBase,
    filesChanged: recorded.snapshot.filesChanged,
    findings: recorded.findings,
    usage: end.usage ?? noUsage,
    end: laneEnd(turn, work, ended.tree),
    text,
    ...(['invalid_result', 'permission_denied'].includes(end.outcome) && end.text !== null
      ? { problem: clipLine(redactText(end.text, work.secrets), 150) }
      : {}),
    limitUntil: end.until as Instant | null,
    sessionId: end.sessionId,
    journal,
    ...(left === null ? {} : { artifacts: left }),
    ...(work.program.refused === null ? {} : { refused: work.program.refused }),
  };
  return { how: 'result', result };
}

/** What the models door refused comes first: it is why the lane ended as it did. */
function failureOf({
  turn,
  end,
  stop,
}: Ended): Pick<Failure, 'class' | 'detail' | 'cleanExit'> | null {
  if (stop?.how === 'failed') return { class: stop.class, detail: stop.detail };
  if (turn.endedBy === 'deadline' && stop === null) {
    const detail = `its time was up; last line: ${turn.lastLine ?? 'none'}`;
    return { class: 'window_exhausted', detail };
  }
  if (end.outcome === 'failed') return { class: end.class, detail: end.detail };
  return end.outcome === 'lane_died' ? diedIn(turn, end.detail) : null;
}

/** Work before its exit is work all the same: then the turn ended, and the check decides (L-O1). */
function unstarted(work: LaneWork, { end, turn }: Ended, snapshot: Snapshot) {
  const from = work.dispatch.job.commit;
  const isSame = from === null ? snapshot.equalsBase : snapshot.commit === from;
  return isSame ? unstartedIn(end, turn) : null;
}

/** What it was to run could not be started, as its exit says; null: nothing says so. */
export function unstartedIn(end: TurnEnd, { lastLine }: Pick<Turn, 'lastLine'>) {
  if (end.outcome !== 'turn_ended' || end.unstarted === undefined) return null;
  const detail = `${end.unstarted}; last line: ${lastLine ?? 'none'}`;
  return { class: 'dispatch_failed', detail } as const;
}

/** One that leaves in good order before its turn is over does it again, as a rule (§13). */
export const diedIn = ({ endedBy, exit }: Pick<Turn, 'endedBy' | 'exit'>, detail: string) => ({
  ...({ class: 'lane_died', detail } as const),
  ...(endedBy === 'exit' && exit.exit === 0 ? ({ cleanExit: true } as const) : {}),
});

function laneEnd(turn: Turn, { program, options }: LaneWork, tree: Tree): LaneEnd {
  const { version } = program;
  const isElsewhere = options.remote !== undefined && tree.isolation !== 'none';
  return {
    ...turn.exit,
    rung: turn.proof.rung,
    proof: turn.proof.strength,
    lastLine: turn.lastLine,
    ...(version === null ? {} : { version: clipLine(version, 100) }),
    ...(isElsewhere ? { directory: tree.directory } : {}),
  };
}

async function textOf(
  work: LaneWork,
  end: Exclude<TurnEnd, { outcome: 'lane_died' | 'failed' }>,
): Promise<Digest | null> {
  if (end.text === null || end.text === '') return null;
  const kind = end.outcome === 'question' || end.outcome === 'blocked' ? 'question' : 'note';
  const said = redactText(end.text, work.secrets);
  return withRoom(work, () => work.options.artifacts.put(said, kind));
}
