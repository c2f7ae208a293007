/** How a run ended (UX 3.3): the signs and first words say at once whether it was verified. */
import type { RunView } from '../../ports/client.ts';
import type { Story } from '../../ports/story.ts';
import type { CriterionResult, Definition, Verdict } from '../../ports/words.ts';
import type { ChangedFile } from '../../ports/workspace.ts';
import { plural, short, span, spentMoney } from '../format.ts';
import { type Step, stepsFor } from '../next.ts';
import type { ReceiptFacts } from '../receipt-facts.ts';
import { clean, cut, firstLine, headed, padTo, widthOf, wrap } from '../text.ts';
import { criterionWords } from './header.ts';
import { hasForeignWrite, type Row, warningRows } from './warnings.ts';

export interface Ended {
  readonly view: RunView;
  readonly definition: Definition;
  readonly story: Story;
  /** The verdicts of the attempt that counts, in order. */
  readonly verdicts: readonly Verdict[];
  /** Null when nobody can tell (no git, branch gone). */
  readonly changed: readonly ChangedFile[] | null;
  /** The ref of what a cancelled run had not recorded. */
  readonly kept?: string | null;
  /** What deserves eyes first, one line each. */
  readonly look: readonly string[];
  /** Null: it has none, or it is not whole. */
  readonly receipt: ReceiptFacts | null;
  /** Why the receipt vouches for nothing any more; null: it is whole, or there is none. */
  readonly damage?: string | null;
  /** Whether the branch that the work goes to is where it was; null: nobody can tell. */
  readonly target: 'unmoved' | 'moved' | null;
  readonly at: (instant: number) => string;
  readonly called: string;
  readonly columns: number;
}

const labelColumns = 13;

/** Complete, and by a verified pass. */
export const isVerified = ({ status, verification }: RunView): boolean =>
  status === 'complete' && verification === 'passed';

export function finalLines(ended: Ended): string[] {
  const { view, columns } = ended;
  const rows = [
    ...limitRows(ended),
    ...dryRows(ended),
    ...receiptRows(ended),
    ...changedRows(ended),
    ...lookAtRows(ended),
    ...branchRows(ended),
    ...keptRows(ended),
    ...warningRows(view, ended.story),
  ];
  const head = headOf(ended);
  return [
    ...headed(head.left, head.right, columns, labelColumns),
    ...rows.flatMap(([label, text]) => block(label, text, columns)),
    ...nextRows(ended),
  ];
}

function block(label: string, text: string, columns: number): string[] {
  return wrap(text, Math.max(20, columns - labelColumns)).map(
    (line, i) => `  ${padTo(i === 0 ? label : '', labelColumns - 2)}${line}`,
  );
}

function headOf({ view }: Ended): { readonly left: string; readonly right: string } {
  const name = `${view.name} ${view.short}`;
  const took = span((view.endedAt ?? view.updatedAt) - view.startedAt);
  const spent = spentMoney(view.spent) === '–' ? '' : ` · ${spentMoney(view.spent)}`;
  if (isVerified(view)) {
    return {
      left: `✓ complete   ${name}`,
      right: `verified on attempt ${view.attempt.n} · ${took}${spent}`,
    };
  }
  if (view.status === 'complete') {
    const reason = view.detail === null ? '' : `: "${firstLine(view.detail)}"`;
    return {
      left: `≈ complete (overridden by operator${reason})   ${name}`,
      right: `${took}${spent}`,
    };
  }
  if (view.status === 'paused') return { left: `· paused     ${name}`, right: `${took}${spent}` };
  if (view.cancelCause === 'dry_run') {
    return { left: `– dry run    ${name}`, right: `nothing was verified · ${took}` };
  }
  const note = view.detail === null || view.detail === '' ? '' : `   ${firstLine(view.detail)}`;
  const word = view.cancelCause === 'refused' ? 'refused  ' : 'cancelled';
  return { left: `– ${word}  ${name}${note}`, right: `${took}${spent}` };
}

/** A pause that nobody asked for says why, and until when. */
function limitRows({ view, at }: Ended): Row[] {
  if (view.status !== 'paused' || view.resumesAt === null) return [];
  return [['stopped', `a usage limit, until ${at(view.resumesAt)}; no attempt was spent`]];
}

/** What it did not do, so that nobody takes it for more than it was. */
function dryRows({ view, definition }: Ended): Row[] {
  if (view.cancelCause !== 'dry_run') return [];
  const { setup } = definition.workspace;
  const checks = definition.criteria.map(criterionWords);
  const notRun = [...(setup === null ? [] : [setup.command]), ...checks].join(' · ');
  return [
    ['went', 'prepare, execute, verify: dispatched, done and accepted, by a scripted lane'],
    ['not run', `${notRun} · no agent, no model`],
    ['receipt', 'none: this proves nothing about the goal'],
  ];
}

function receiptRows(ended: Ended): Row[] {
  const { view, definition, verdicts, receipt, damage = null, called } = ended;
  if (!isVerified(view)) return [];
  if (damage !== null) return [['receipt', `${damage}; nothing vouches for the verdict now`]];
  const results = verdicts.flatMap(({ criteria }) => criteria);
  const before = new Map(receipt?.results.map(({ what, baseline }) => [what, baseline]));
  const lines = results.map(
    (result): Row => ['', resultWords(result, before.get(result.what) ?? null)],
  );
  const looks = (receipt?.results ?? []).flatMap(({ what, human }) =>
    human === null ? [] : [{ what: clean(what), human: clean(human) }],
  );
  const isOnlyLooked = results.length === 0 && looks.length > 0;
  const place = isOnlyLooked ? `commit ${short(view.head)}` : placeWords(view, definition);
  const facts = [place, ...changeWords(ended)].join(' · ');
  const verifiers = [
    ...new Set([
      ...verdicts.map(({ verifierIdentity }) => clean(verifierIdentity)),
      ...looks.map(({ human }) => human),
    ]),
  ].join(', ');
  const signed =
    view.receipt === null ? 'not signed' : `signed, ${called} show ${view.short} --receipt`;
  const rows: Row[] = [
    ...lines,
    ...looks.map(({ what, human }): Row => ['', `${what} · approved by ${human}`]),
    ['', facts],
    [
      '',
      `verifier: ${verifiers === '' ? 'runtime' : verifiers}${workerWords(receipt)}; the agent had no part in it · ${signed}`,
    ],
  ];
  return rows.map(([, text], i): Row => [i === 0 ? 'receipt' : '', text]);
}

const workerWords = (receipt: ReceiptFacts | null): string =>
  receipt === null || receipt.worker === null ? '' : ` on worker ${clean(receipt.worker)}`;

/** The print of the folder from before the first turn is all that there is. */
const withoutBase =
  "no git: the folder as it lies there; protected files and the check's own were compared with those at the start, nothing else was";

function placeWords(view: RunView, { verifyTree, source }: Definition): string {
  if (view.base === null) return withoutBase;
  const base = `base ${short(view.base)}`;
  if (source.isolation === 'none') return `your own folder as it lies there · ${base}`;
  const where = verifyTree === 'lane' ? "the lane's own tree at" : 'clean checkout of';
  return `${where} ${short(view.head)} · ${base}`;
}

/** Without a base nothing was compared, so nothing is said to be unchanged. */
function changeWords(ended: Ended): string[] {
  if (ended.view.base === null) return [];
  const kinds = new Set(ended.story.findings.map(({ kind }) => kind));
  const count = ended.receipt?.protectedFiles ?? null;
  const files = count === null ? '' : ` (${count})`;
  return [
    ended.definition.protected.length === 0
      ? 'nothing is protected'
      : `protected files ${kinds.has('protected') ? 'changed' : 'unchanged'}${files}`,
    `drift ${kinds.has('drift') ? 'found' : 'none'}`,
  ];
}

/** `before`: what the same check counted on the base commit. */
export function resultWords(
  result: CriterionResult,
  before: CriterionResult['counts'] = null,
): string {
  const parts = [firstLine(result.what)];
  if (result.exit !== null) parts.push(`exit ${result.exit}`);
  const counts = countWords(result.counts);
  if (counts !== '') parts.push(counts + baselineWords(before));
  if (parts.length === 1) parts.push(result.outcome.replaceAll('_', ' '));
  if (result.flaky) parts.push(`flaky, ${result.executions} executions`);
  return [...parts, span(result.durationMs)].join(' · ');
}

function countWords(counts: CriterionResult['counts']): string {
  if (counts === null) return '';
  const { passed, failed, skipped } = counts;
  const parts = [
    ...(passed === null ? [] : [`${passed} passed`]),
    ...(failed === null ? [] : [`${failed} failed`]),
    ...(skipped === null || skipped === 0 ? [] : [`${skipped} skipped`]),
  ];
  return parts.join(', ');
}

/** ` (baseline 118, 2 failed)` */
function baselineWords(before: CriterionResult['counts']): string {
  if (before === null || before.passed === null) return '';
  const failed = before.failed === null || before.failed === 0 ? '' : `, ${before.failed} failed`;
  return ` (baseline ${before.passed}${failed})`;
}

function changedRows({ changed }: Ended): Row[] {
  return changed === null ? [] : [['changed', changedWords(changed)]];
}
export function changedWords(changed: readonly ChangedFile[]): string {
  const sum = (pick: (file: ChangedFile) => number | null): number =>
    changed.reduce((total, file) => total + (pick(file) ?? 0), 0);
  if (changed.length === 0) return 'nothing';
  return `${plural(changed.length, 'file')} +${sum(({ added }) => added)} −${sum(({ removed }) => removed)}`;
}

function lookAtRows({ view, look }: Ended): Row[] {
  if (view.status !== 'complete') return [];
  return look.map((text, i): Row => [i === 0 ? 'look at' : '', text]);
}

function branchRows({ view, definition, story }: Ended): Row[] {
  if (view.branch === null) {
    return definition.source.base === null
      ? [['branch', 'none: not a git repository, so there is no undo']]
      : [];
  }
  // It is made with the first attempt.
  if (view.status === 'cancelled' && story.attempts.size === 0) return [];
  const commits = new Set([...story.attempts.values()].flatMap(({ commit }) => commit ?? []));
  const count = commits.size === 0 ? '' : ` · ${plural(commits.size, 'commit')}`;
  const checkout =
    definition.source.isolation === 'worktree' && !hasForeignWrite(story)
      ? ' · your checkout was not touched'
      : '';
  return [['branch', `${view.branch}${count}${checkout}`]];
}

/** What lies on no branch is not found by who only knows the branch. */
const keptRows = ({ kept = null }: Ended): Row[] =>
  kept === null ? [] : [['kept', `what was not recorded: ${kept}`]];

function nextRows(ended: Ended): string[] {
  const steps = stepsOf(ended);
  const width = Math.max(0, ...steps.map(({ command }) => widthOf(command)));
  return steps.flatMap(({ command, effect }, i) => {
    const head = `  ${padTo(i === 0 ? 'next' : '', labelColumns - 2)}`;
    const line = `${head}${padTo(command, width)}   ${effect}`.trimEnd();
    if (widthOf(line) <= ended.columns) return [line];
    return [head + command, cut(`${' '.repeat(labelColumns + 2)}${effect}`, ended.columns)];
  });
}

/** The two ways to land, with what was seen of the branch they lead to. */
function stepsOf(ended: Ended): readonly Step[] {
  const { view, target, called, damage = null, kept = null } = ended;
  if (kept !== null && view.head === null) {
    return [
      { command: `${called} diff ${view.short}`, effect: 'where the work is kept' },
      { command: `git branch rescued ${kept}`, effect: 'bring it to a branch' },
    ];
  }
  const isReady =
    view.status === 'complete' &&
    damage === null &&
    view.landed === null &&
    view.branch !== null &&
    view.head !== null;
  if (!isReady || view.verification !== 'passed') return stepsFor(view, called);
  const branch = view.baseBranch ?? 'the branch';
  const effect = {
    unmoved: `${branch} has not moved since base`,
    moved: `${branch} has moved; the result is verified again`,
  };
  return [
    { command: `${called} diff ${view.short}`, effect: '' },
    {
      command: `${called} land ${view.short} --squash`,
      effect: target === null ? `bring it to ${view.baseBranch ?? 'a branch'}` : effect[target],
    },
    { command: `${called} land ${view.short} --pr`, effect: '' },
  ];
}
