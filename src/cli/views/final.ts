/** How a run ended (UX 3.3): the signs and first words say at once whether it was verified. */
import type { RunView } from '../../ports/client.ts';
import type { CriterionResult, Definition, Verdict } from '../../ports/words.ts';
import type { ChangedFile } from '../../ports/workspace.ts';
import { plural, short, span, spentMoney } from '../format.ts';
import { stepsFor } from '../next.ts';
import type { Story } from '../story.ts';
import { clean, firstLine, padTo, spread, wrap } from '../text.ts';
import { hasForeignWrite, type Row, warningRows } from './warnings.ts';

export interface Ended {
  readonly view: RunView;
  readonly definition: Definition;
  readonly story: Story;
  /** The verdicts of the attempt that counts, in order. */
  readonly verdicts: readonly Verdict[];
  /** Null when nobody can tell (no git, branch gone). */
  readonly changed: readonly ChangedFile[] | null;
  readonly at: (instant: number) => string;
  readonly called: string;
  readonly columns: number;
}

const labelColumns = 13;

export function finalLines(ended: Ended): string[] {
  const { view, columns } = ended;
  const rows = [
    ...limitRows(ended),
    ...receiptRows(ended),
    ...changedRows(ended),
    ...lookAtRows(ended),
    ...branchRows(ended),
    ...warningRows(view, ended.story),
  ];
  const head = headOf(ended);
  return [
    spread(`${head.left}`, head.right, columns),
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
  if (view.status === 'complete' && view.verification === 'passed') {
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
  const note = view.detail === null || view.detail === '' ? '' : `   ${firstLine(view.detail)}`;
  const word = view.cancelCause === 'refused' ? 'refused  ' : 'cancelled';
  return { left: `– ${word}  ${name}${note}`, right: `${took}${spent}` };
}

/** A pause that nobody asked for says why, and until when. */
function limitRows({ view, at }: Ended): Row[] {
  if (view.status !== 'paused' || view.resumesAt === null) return [];
  return [['stopped', `a usage limit, until ${at(view.resumesAt)}; no attempt was spent`]];
}

function receiptRows({ view, definition, story, verdicts }: Ended): Row[] {
  if (view.status !== 'complete' || view.verification !== 'passed') return [];
  const results = verdicts.flatMap(({ criteria }) => criteria);
  const lines = results.map((result): Row => ['', resultWords(result)]);
  const facts = [placeWords(view, definition), ...changeWords({ view, definition, story })].join(
    ' · ',
  );
  const verifiers = [
    ...new Set(verdicts.map(({ verifierIdentity }) => clean(verifierIdentity))),
  ].join(', ');
  const signed = view.receipt === null ? 'not signed' : `signed, pawl show ${view.short} --receipt`;
  const rows: Row[] = [
    ...lines,
    ['', facts],
    [
      '',
      `verifier: ${verifiers === '' ? 'runtime' : verifiers}; the agent had no part in it · ${signed}`,
    ],
  ];
  return rows.map(([, text], i): Row => [i === 0 ? 'receipt' : '', text]);
}

function placeWords(view: RunView, { verifyTree, source }: Definition): string {
  if (view.base === null) return 'no git: the folder as it lies there, compared with nothing';
  const base = `base ${short(view.base)}`;
  if (source.isolation === 'none') return `your own folder as it lies there · ${base}`;
  const where = verifyTree === 'lane' ? "the lane's own tree at" : 'clean checkout of';
  return `${where} ${short(view.head)} · ${base}`;
}

/** Without a base nothing was compared, so nothing is said to be unchanged. */
function changeWords(ended: Pick<Ended, 'view' | 'definition' | 'story'>): string[] {
  if (ended.view.base === null) return [];
  const kinds = new Set(ended.story.findings.map(({ kind }) => kind));
  return [
    ended.definition.protected.length === 0
      ? 'nothing is protected'
      : `protected files ${kinds.has('protected') ? 'changed' : 'unchanged'}`,
    `drift ${kinds.has('drift') ? 'found' : 'none'}`,
  ];
}

export function resultWords(result: CriterionResult): string {
  const parts = [firstLine(result.what)];
  if (result.exit !== null) parts.push(`exit ${result.exit}`);
  const counts = countWords(result.counts);
  if (counts !== '') parts.push(counts);
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

function changedRows({ changed }: Ended): Row[] {
  return changed === null ? [] : [['changed', changedWords(changed)]];
}
export function changedWords(changed: readonly ChangedFile[]): string {
  const sum = (pick: (file: ChangedFile) => number | null): number =>
    changed.reduce((total, file) => total + (pick(file) ?? 0), 0);
  if (changed.length === 0) return 'nothing';
  return `${plural(changed.length, 'file')} +${sum(({ added }) => added)} −${sum(({ removed }) => removed)}`;
}

/** At most three things that deserve eyes: changed tests, dependencies, the largest file. */
function lookAtRows({ view, changed }: Ended): Row[] {
  if (view.status !== 'complete' || changed === null) return [];
  const tests = changed.filter(({ path }) =>
    /(^|\/)(tests?|spec|__tests__)\/|[._-](test|spec)\.\w+$/i.test(path),
  );
  const manifests = changed.filter(({ path }) =>
    /(^|\/)(package\.json|pyproject\.toml|Cargo\.toml|go\.mod|.*lock(\.json|\.yaml|b)?)$/.test(
      path,
    ),
  );
  const said = [
    ...tests.map(({ path, status }) => `${clean(path)}   a test file was ${status}`),
    ...manifests.map(({ path }) => `${clean(path)}   dependencies may have changed`),
  ].slice(0, 3);
  return said.map((text, i): Row => [i === 0 ? 'look at' : '', text]);
}

function branchRows({ view, definition, story }: Ended): Row[] {
  if (view.branch === null) {
    return definition.source.base === null
      ? [['branch', 'none: not a git repository, so there is no undo']]
      : [];
  }
  const at = view.head === null ? '' : ` @ ${short(view.head)}`;
  const checkout =
    definition.source.isolation === 'worktree' && !hasForeignWrite(story)
      ? ' · your checkout was not touched'
      : '';
  return [['branch', `${view.branch}${at}${checkout}`]];
}

function nextRows({ view, called, columns }: Ended): string[] {
  const steps = stepsFor(view, called);
  const width = Math.max(0, ...steps.map(({ command }) => command.length));
  return steps.map(({ command, effect }, i) =>
    spread(
      `  ${padTo(i === 0 ? 'next' : '', labelColumns - 2)}${padTo(command, width)}   ${effect}`,
      '',
      columns,
    ),
  );
}
