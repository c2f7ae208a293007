/**
 * What the end of a lane's turn leads to. Whatever the lane says of itself, its work goes to the
 * verifier; a result completes nothing (XP-25, XP-33). Findings about the tree are always recorded
 * and stop the run where policy says so.
 */
import type { Finding, JobResult, LaneEnd } from '../execution/state.ts';
import { after, type ExecutionId, type Instant } from '../ids.ts';
import { failAttempt, unmeasured } from './attempt.ts';
import { add, type Draft } from './draft.ts';
import { park } from './park.ts';
import { namePaths, uncovered } from './paths.ts';
import { askedNow, proceed, wait } from './proceed.ts';
import type { ResumePoint, RunFacts, Stage } from './state.ts';
import { limitLeastMs, limitUnknownMs } from './timing.ts';
import { changedNothing } from './verdict.ts';

export type Executing = Extract<Stage, { phase: 'executing' }>;
type Executed = Extract<JobResult, { kind: 'executed' }>;

export function turnEnded(draft: Draft, stage: Executing, result: Executed): Draft {
  const { execution } = stage;
  const { commit, equalsBase, filesChanged, end, sessionId, journal, usage } = result;
  const findings = result.findings.map(
    (finding) => ({ type: 'finding.recorded', execution, finding }) as const,
  );
  const { attempt } = draft.run;
  const turn = { commit, equalsBase, filesChanged, end, sessionId, journal, ...refusedIn(result) };
  const recorded = add(
    draft,
    { type: 'usage.recorded', execution, usage },
    ...findings,
    { type: 'turn.ended', attempt, ...turn },
    ...attested(result, { execution, attempt }),
  );
  return follow(recorded, stage, result);
}

/** What it was refused, as events have it. */
export const refusedIn = ({ refused }: Pick<Executed, 'refused'>) =>
  refused === undefined ? {} : { refused };

/** The event of the files that the turn left to see, if it names any. */
export function attested(
  { artifacts, commit }: Executed,
  of: { readonly execution: ExecutionId; readonly attempt: number },
) {
  if (artifacts === undefined) return [];
  return [{ type: 'artifacts.attested', ...of, commit, artifacts } as const];
}

function follow(draft: Draft, { point }: Executing, result: Executed): Draft {
  const { outcome, text, limitUntil } = result;
  const then = onwards(draft, point);
  switch (outcome) {
    case 'turn_ended':
      return inspect(draft, result);
    case 'question':
    case 'blocked':
      return park(draft, 'blocked_by_question', {
        detail: outcome === 'question' ? 'The agent asks a question.' : 'The agent is blocked.',
        then,
        text,
        class: 'human_blocker',
      });
    case 'permission_denied':
      return park(draft, 'permission_denied', {
        detail: `the agent may not: ${result.problem ?? 'what it asked for'}`,
        then,
        class: 'human_blocker',
      });
    case 'limit':
      return limited(draft, then, limitUntil);
    case 'invalid_result':
      return failAttempt(draft, { ...unmeasured, summary: invalid(result.problem) });
  }
}

const invalid = (problem?: string): string =>
  `the result of the agent is not valid${problem === undefined ? '' : `: ${problem}`}`;

/** The same conversation in the same tree, unless the tree may not be entered. */
export function onwards(
  { run }: Draft,
  point: Extract<ResumePoint, { job: 'execute' }>,
): Extract<ResumePoint, { job: 'execute' }> {
  const commit = run.head ?? point.commit;
  return { job: 'execute', session: 'resume', tree: run.nextTree, commit };
}

/**
 * A limit spends nothing but waiting time; never less than a minute, so that a wrong clock cannot
 * spin.
 */
export function limited(draft: Draft, then: ResumePoint, limitUntil: Instant | null): Draft {
  const { at, run } = draft;
  const known = limitUntil ?? after(at, limitUnknownMs);
  const until = Math.max(known, at + limitLeastMs) as Instant;
  switch (run.terms.onLimit) {
    case 'wait':
      return wait(draft, { reason: 'rate_limited', until, then, detail: 'usage limit' });
    case 'stop':
      return add(draft, { type: 'run.paused', then, by: 'limit', resumesAt: until });
    case 'ask': {
      const detail = 'The agent hit a usage limit, and onLimit is ask: nothing waits by itself.';
      return park(draft, 'wait_exhausted', { detail, then, class: 'rate_limited' });
    }
  }
}

/** As many as a finding names. */
const pathsMax = 20;

interface Found {
  readonly paths: readonly string[];
  readonly more: number;
}

/** What of one kind was found and not allowed by a human; null when there is nothing. */
function found(run: RunFacts, findings: readonly Finding[], kind: Finding['kind']): Found | null {
  const ofKind = findings.filter((finding) => finding.kind === kind);
  const paths = uncovered(
    [...new Set(ofKind.flatMap((finding) => finding.paths))],
    run.allowedPaths,
  );
  const more = ofKind.reduce((sum, finding) => sum + finding.more, 0);
  return paths.length === 0 && more === 0 ? null : { paths: paths.slice(0, pathsMax), more };
}

function inspect(draft: Draft, result: Executed): Draft {
  const { run } = draft;
  const then = { job: 'verify', commit: result.commit ?? run.head, step: 0 } as const;
  const goesBack = run.terms.git && run.terms.onProtected === 'restore';
  const touched = goesBack ? null : found(run, result.findings, 'protected');
  const drift = found(run, result.findings, 'drift');
  if (drift !== null) return drifted(draft, then, { drift, touched, findings: result.findings });
  if (touched !== null) return protectedChanged(draft, then, touched);
  return verify(draft, then, result);
}

interface Drifted {
  readonly drift: Found;
  readonly touched: Found | null;
  readonly findings: readonly Finding[];
}

/** One park over both: what lifts it leads to the verifier, where protected paths stop nothing. */
function drifted(draft: Draft, then: Verify, { drift, touched, findings }: Drifted): Draft {
  const detail = driftDetail(drift, findings);
  if (touched === null) return park(draft, 'drift_detected', { ...drift, detail, then });
  const all = [...new Set([...drift.paths, ...touched.paths])];
  return park(draft, 'drift_detected', {
    detail: `${detail}; protected files changed: ${namePaths(touched.paths, touched.more)}`,
    paths: all.slice(0, pathsMax),
    more: drift.more + touched.more + Math.max(0, all.length - pathsMax),
    then,
  });
}

/** A link inside the scope is named with where it leads: its path alone would tell nothing. */
function driftDetail({ paths, more }: Found, findings: readonly Finding[]): string {
  const [link, ...others] = findings
    .flatMap(({ kind, notes = [] }) => (kind === 'drift' ? notes : []))
    .filter((note) => paths.some((path) => note.startsWith(`${path} `)));
  if (link === undefined) return `changed outside the scope: ${namePaths(paths, more)}`;
  const rest = paths.length - 1 + more;
  if (rest === 0) return link;
  const links = others.length === 0 ? '' : ` (${others.length + 1} such links)`;
  return `${link}${links}; outside the scope in all: ${namePaths(paths, more)}`;
}

type Verify = Extract<ResumePoint, { job: 'verify' }>;

/**
 * Asked only where the whole list can be shown; what is allowed by a gate is exactly what it names.
 */
function protectedChanged(draft: Draft, then: Verify, touched: Found): Draft {
  const { paths, more } = touched;
  const { commit } = then;
  if (draft.run.terms.onProtected === 'ask' && commit !== null && more === 0) {
    const gate = { kind: 'protected', ...askedNow(draft), commit, paths } as const;
    return add(draft, { type: 'gate.opened', gate });
  }
  const detail = `protected files changed: ${namePaths(paths, more)}`;
  return park(draft, 'protected_changed', { ...touched, detail, then });
}

/** A tree equal to the base proves nothing, so no verifier is asked (DESIGN §4.1). */
function verify(draft: Draft, then: Verify, { equalsBase, findings, end }: Executed): Draft {
  const { run } = draft;
  const isBase = equalsBase || (run.terms.git && then.commit === null);
  if (run.terms.allowNoChange || !isBase) return proceed(draft, then, { why: 'next' });
  const inside = found(run, findings, 'submodule_uncommitted');
  const summary = inside === null ? unchanged(end) : onlyInside(inside);
  const facts = {
    outcome: 'missing_evidence',
    summary,
    receipt: null,
    commit: then.commit,
    score: null,
    failedTests: null,
    passedTests: null,
    flaky: false,
    equalsBase: true,
  } as const;
  const recorded = add(draft, {
    type: 'verification.recorded',
    attempt: run.attempt,
    step: 0,
    execution: null,
    facts,
    verdict: null,
    by: 'runtime',
  });
  return failAttempt(recorded, { ...unmeasured, summary });
}

/** An exit other than 0 proves nothing; it tells people where to look. */
function unchanged({ exit, lastLine }: LaneEnd): string {
  if (exit === null || exit === 0) return changedNothing;
  const line = lastLine === null ? '' : `: ${lastLine}`;
  return `the agent ended with exit ${exit} and changed nothing${line}`;
}

const onlyInside = ({ paths, more }: Found): string =>
  `the agent changed only what lies in submodules and committed nothing there: ${namePaths(paths, more)}`;
