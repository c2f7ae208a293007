/** The morning page (UX 5.2): needs you, ready to land, working, ended. Pure. */

import type { RunView } from '../../ports/client.ts';
import type { HealthCheck } from '../../ports/health.ts';
import { calledAs } from '../called.ts';
import { clockSpan, dryRunWords, plural, span, spentMoney } from '../format.ts';
import { gateWords } from '../gate-words.ts';
import { livenessWords, noWorkWords } from '../liveness.ts';
import { asItIs, detailBeyond, reasonWords, stepsFor } from '../next.ts';
import { isDamaged, isReadyToLand, isUnlanded } from '../ready-to-land.ts';
import { clean, cut, firstLine, padTo, widthOf, wrap } from '../text.ts';
import { isUnderWay } from '../under-way.ts';

import { flowed } from './page.ts';

export interface Groups {
  readonly needsYou: readonly RunView[];
  readonly readyToLand: readonly RunView[];
  readonly running: readonly RunView[];
  readonly ended: readonly RunView[];
}
/** What git says of work that is ready to land; null where it cannot tell. */
export interface ReadyWork {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** Commits of the target since the base. */
  readonly moved: number | null;
}
export interface StatusPage {
  readonly groups: Groups;
  /** By id of the run. */
  readonly work?: ReadonlyMap<string, ReadyWork>;
  /** What agents ask, by id of the run. */
  readonly questions?: ReadonlyMap<string, string>;
  /** `more`: on a store that servers share, as many drive beside it. */
  readonly driver: {
    readonly pid: number;
    readonly isService: boolean;
    readonly more?: number;
  } | null;
  /** Of pawl itself; absent: none was looked for. */
  readonly trouble?: readonly HealthCheck[];
  readonly now: number;
  readonly at: (instant: number) => string;
  /** `yesterday 22:10`. */
  readonly since: string;
  readonly called: string;
  readonly columns: number;
}

export function groupRuns(views: readonly RunView[]): Groups {
  const oldest = [...views].sort((a, b) => needsSince(a) - needsSince(b));
  const of = (test: (view: RunView) => boolean): RunView[] => oldest.filter(test);
  return {
    needsYou: of(
      (view) =>
        view.status === 'needs_operator' ||
        view.status === 'waiting_human' ||
        view.status === 'paused' ||
        isDamaged(view),
    ),
    readyToLand: of(isReadyToLand),
    running: of(isUnderWay),
    ended: of(
      (view) => view.status === 'cancelled' || (view.status === 'complete' && !isUnlanded(view)),
    ),
  };
}

/** A notice or a refusal that comes later makes nothing younger. */
const needsSince = (view: RunView): number => view.since ?? view.updatedAt;

export function statusLines(page: StatusPage): string[] {
  const { needsYou, readyToLand, running, ended } = page.groups;
  const open = needsYou.length + running.length;
  const nothing = needsYou.length === 0 ? [`nothing needs you. ${plural(open, 'run')} open.`] : [];
  return [
    ...troubles(page),
    ...headLines(page),
    ...nothing,
    ...group(
      page,
      `NEEDS YOU (${needsYou.length})`,
      needsYou.map((view) => needsCells(view, page)),
    ),
    ...group(
      page,
      `READY TO LAND (${readyToLand.length})`,
      readyToLand.map((view) => readyCells(view, page)),
    ),
    ...group(
      page,
      `STILL WORKING (${running.length})`,
      running.map((view) => workingCells(view, page)),
    ),
    ...group(
      page,
      `ENDED (${ended.length})`,
      ended.map((view) => endedCells(view, page)),
    ),
  ];
}

/** Trouble of pawl itself comes first, above all groups. */
function troubles({ groups, called, columns, trouble = [] }: StatusPage): string[] {
  const lines = [
    ...trouble.map(({ detail, next }) => {
      const todo = next === null ? '' : ` → ${calledAs(next, called)}`;
      return `! ${clean(detail)}${todo}`;
    }),
    ...groups.running.flatMap((view) => withoutWork(view, called)),
    ...undelivered(groups),
  ];
  const shown = lines.flatMap((line) => wrap(line, columns, '  '));
  return shown.length === 0 ? [] : [...shown, ''];
}

/** Active, and nothing will move it: never left among what works (RR-33). */
function withoutWork(view: RunView, called: string): string[] {
  if (view.noWork === undefined) return [];
  return [`! ${view.name} ${view.short} has ${noWorkWords(view)} → ${called} show ${view.short}`];
}

/** `desktop: 2 of 2 not delivered: no display` (faults L-H9), over the runs of this page. */
function undelivered(groups: Groups): string[] {
  const all = [...groups.needsYou, ...groups.readyToLand, ...groups.running, ...groups.ended];
  const told = all.flatMap(({ notices }) => notices ?? []);
  return [...new Set(told.map(({ to }) => to))].flatMap((to) => {
    const here = told.filter((one) => one.to === to);
    const failed = here.reduce((sum, { notDelivered }) => sum + notDelivered, 0);
    const sent = here.reduce((sum, { delivered }) => sum + delivered, failed);
    const why = here.findLast(({ notDelivered }) => notDelivered > 0)?.detail ?? '';
    return failed === 0
      ? []
      : [`! ${clean(to)}: ${failed} of ${sent} not delivered: ${clean(why)}`];
  });
}

function headLines({ groups, driver, since, columns }: StatusPage): string[] {
  const all = [...groups.needsYou, ...groups.readyToLand, ...groups.running, ...groups.ended];
  const projects = new Set(all.map(({ project }) => project)).size;
  const sum = (self: boolean): number =>
    all
      .filter(({ spent }) => spent.costKnown && spent.selfReported === self)
      .reduce((total, { spent }) => total + spent.costUsd, 0);
  const metered = sum(false);
  const reported = sum(true);
  const unknown = all.filter(({ spent }) => !spent.costKnown).length;
  const parts = [
    `since ${since}`,
    `${plural(all.length, 'run')} in ${plural(projects, 'project')}`,
    ...(metered > 0 ? [`$${metered.toFixed(2)} metered`] : []),
    ...(reported > 0 ? [`~$${reported.toFixed(2)} self-reported`] : []),
    ...(unknown > 0 ? [`cost of ${plural(unknown, 'run')} unknown`] : []),
    driver === null
      ? 'no driver'
      : `driver: ${driver.isService ? 'service, ' : ''}pid ${driver.pid}${more(driver.more ?? 0)}`,
  ];
  return flowed(parts, columns);
}

/** Between the words of a cell and its marks; no text of a run holds it. */
const apart = '\0';

type Cells = readonly [
  sign: string,
  name: string,
  project: string,
  what: string,
  right: string,
  command: string,
];

/** The columns give way in the middle: name and command are always whole where there is room. */
function group(page: StatusPage, title: string, rows: readonly Cells[]): string[] {
  if (rows.length === 0) return [];
  const width = (i: number): number => Math.max(...rows.map((row) => widthOf(row[i] ?? '')));
  const [name, project, right, command] = [width(1), width(2), width(4), width(5)];
  const room = page.columns - (3 + name + 2 + project + 2 + 2 + right + 3 + command);
  const texts = rows.map((row) =>
    fitted(row[3], room < 16 ? page.columns - widthOf(row[1]) - 5 : room),
  );
  const middleWidth = Math.min(room, Math.max(...texts.map(({ what }) => widthOf(what))));
  const lines = rows.flatMap((row, i) => {
    const [sign, called, where, , aside, line] = row;
    const { what, below } = texts[i] ?? { what: '', below: [] };
    const marked = below.map((mark) => cut(`   ${mark}`, page.columns));
    if (room < 16)
      return [
        cut(` ${sign} ${called}  ${what}`, page.columns),
        ...marked,
        cut(`   ${line}`, page.columns),
      ];
    const middle = padTo(cut(what, room), middleWidth);
    const cells = [
      `${sign} ${padTo(called, name)}`,
      padTo(where, project),
      middle,
      padTo(aside, right),
    ];
    return [` ${cells.join('  ')}   ${line}`.trimEnd(), ...marked];
  });
  return ['', title, ...lines];
}

/** Marks are never cut: where they have no room beside the words, they get a line of their own. */
function fitted(cell: string, room: number): { readonly what: string; readonly below: string[] } {
  const [text = '', mark] = cell.split(apart);
  const whole = mark === undefined ? text : `${text} · ${mark}`;
  if (mark === undefined || widthOf(whole) <= room) return { what: whole, below: [] };
  return { what: text, below: [mark] };
}

function base(view: RunView): readonly [string, string] {
  return [`${view.name} ${view.short}`, view.project.split(/[\\/]/).at(-1) ?? ''];
}
function firstStep(view: RunView, { called }: StatusPage): string {
  return stepsFor(view, called)[0]?.command ?? '';
}

function asked(view: RunView): string {
  switch (view.gate?.kind) {
    case 'manual':
      return lookWords(view, view.gate.look);
    case 'permission':
      return gateWords(view);
    default:
      return 'protected paths were changed';
  }
}

function needsCells(view: RunView, page: StatusPage): Cells {
  const [name, project] = base(view);
  const at = page.at(needsSince(view));
  if (view.status === 'waiting_human') {
    const isCall = view.gate?.kind === 'permission';
    const look = isCall ? '' : `${page.called} diff ${view.short} · `;
    const verb = `${look}${page.called} approve ${view.short}`;
    return ['?', name, project, asked(view) + marks(view), at, verb];
  }
  if (view.status === 'paused') {
    const limit = view.resumesAt === null ? '' : `: usage limit until ${page.at(view.resumesAt)}`;
    return ['·', name, project, `paused${limit}${marks(view)}`, at, firstStep(view, page)];
  }
  const why = isDamaged(view)
    ? 'complete, but its receipt is damaged or missing'
    : parkedWords(view, page.questions?.get(view.id) ?? null);
  return ['!', name, project, why + marks(view), at, `${page.called} show ${view.short}`];
}

/** The manual criterion comes last: what the runtime checks itself has passed before it. */
function lookWords(view: RunView, look: string): string {
  const line = firstLine(look).replace(/\.$/, '');
  const said = /^look\b/i.test(line) ? `look${line.slice(4)}` : `look: ${line}`;
  return view.receipt === null ? said : `checks passed; ${said}`;
}

/** The attempt that came nearest, not the last one: it is where a human would go on. */
function parkedWords(view: RunView, question: string | null): string {
  const { attempts, best } = view;
  const nearest = attempts.find(({ n }) => n === best) ?? attempts.at(-1);
  const failed = nearest?.failedTests ?? null;
  if (failed !== null)
    return `${reasonWords(view)}, ${plural(failed, 'failure')} left${ofBase(view)}`;
  const said = question ?? detailBeyond(view);
  const more = said === '' ? '' : `: ${firstLine(said)}`;
  return `${reasonWords(view)}${more}`;
}

/** ` of 41`: what failed before anything was done, where the runner's report says so. */
function ofBase({ baseline }: RunView): string {
  const count = baseline === null ? null : /\b(\d+) failed\b/.exec(baseline.summary);
  return count === null ? '' : ` of ${count[1]}`;
}

/** With less room the words about the target stand among the marks. */
const movedColumns = 120;

function readyCells(view: RunView, page: StatusPage): Cells {
  const [name, project] = base(view);
  const moved = movedWords(view, page);
  const isWide = page.columns >= movedColumns;
  const took = span((view.endedAt ?? view.updatedAt) - view.startedAt);
  const how =
    view.verification === 'overridden' ? 'overridden, not verified' : `attempt ${view.attempt.n}`;
  const sign = view.verification === 'overridden' ? '≈' : '✓';
  const cost = spentMoney(view.spent) === '–' ? '' : `  ${spentMoney(view.spent)}`;
  return [
    sign,
    name,
    project,
    how + changedWords(page.work?.get(view.id)) + marks(view, isWide ? '' : moved),
    `${took}${cost}`,
    `${page.called} land ${view.short}${asItIs(view)}${isWide && moved !== '' ? `   ${moved}` : ''}`,
  ];
}

function changedWords(work: ReadyWork | undefined): string {
  if (work === undefined) return '';
  return `   ${plural(work.files, 'file')} +${work.added} −${work.removed}`;
}

function movedWords(view: RunView, { work }: StatusPage): string {
  const moved = work?.get(view.id)?.moved ?? 0;
  return moved === 0 ? '' : `${view.baseBranch ?? 'target'} moved: ${plural(moved, 'commit')}`;
}

function workingCells(view: RunView, page: StatusPage): Cells {
  const [name, project] = base(view);
  const cost = spentMoney(view.spent) === '–' ? '' : `  ${spentMoney(view.spent)}`;
  const right = `${clockSpan(page.now - view.startedAt)}${cost}`;
  const isStuck = view.noWork !== undefined;
  const sign = isStuck ? '!' : view.waiting === null ? '●' : '◷';
  const what = workingWords(view, page) + marks(view);
  const verb = isStuck ? 'show' : 'watch';
  return [sign, name, project, what, right, `${page.called} ${verb} ${view.short}`];
}

function workingWords(view: RunView, page: StatusPage): string {
  const { n: attempt, max } = view.attempt;
  const n = `attempt ${attempt}${max === null ? '' : ` of ${max}`}`;
  if (view.noWork !== undefined) return `${n} · ${noWorkWords(view)}`;
  if (view.waiting !== null) return waitingWords(view.waiting, n, page);
  const phase = view.pausing === true ? 'pausing' : view.phase;
  const doing = phase === null ? view.status : `${phase} · ${livenessWords(view, page.now)}`;
  return `${n} · ${doing}`;
}

function waitingWords(
  { reason, until: at, detail, isForWorker }: NonNullable<RunView['waiting']>,
  n: string,
  page: StatusPage,
): string {
  const left = `${page.at(at)} (in ${clockSpan(at - page.now)})`;
  const why = firstLine(detail);
  if (isForWorker === true) return `waiting for ${why}, ${n}`;
  const until = reason === 'no_capacity' ? 'a free slot' : left;
  if (reason === 'rate_limited') return `waiting for the limit until ${until}, ${n}, none spent`;
  return `waiting for ${until}${why === '' ? '' : ` (${why})`}, ${n}`;
}

function cancelledWords({ cancelCause }: RunView): string {
  if (cancelCause === 'dry_run') return dryRunWords;
  return cancelCause === 'refused' ? 'refused before anything was spent' : 'cancelled';
}

/** A pull request that was opened is no longer ours to land. */
function completeWords({ landed, proposed }: RunView): string {
  if (landed !== null) return `landed on ${landed.into}`;
  if (proposed === undefined) return 'complete';
  return `proposed ${proposed.url === null ? `for ${proposed.into}` : clean(proposed.url)}`;
}

function endedCells(view: RunView, page: StatusPage): Cells {
  const [name, project] = base(view);
  const what = view.status === 'cancelled' ? cancelledWords(view) : completeWords(view);
  const sign = view.status === 'cancelled' ? '–' : '✓';
  return [
    sign,
    name,
    project,
    what + marks(view),
    page.at(view.endedAt ?? view.updatedAt),
    `${page.called} show ${view.short}`,
  ];
}

/**
 * What must not be overlooked in a list: refused gate verbs, an operator that could not be told.
 */
function marks(view: RunView, first = ''): string {
  const parts = [
    ...(first === '' ? [] : [first]),
    ...(view.dryRun === true && view.cancelCause !== 'dry_run' ? ['dry run'] : []),
    ...(view.ancestryUnknown.length > 0 ? ['ancestry unknown'] : []),
    ...(view.refusedGates > 0 ? [`${plural(view.refusedGates, 'gate verb')} refused`] : []),
    ...(view.unproven.length > 0 ? [`${view.unproven.length} unproven`] : []),
  ];
  return parts.length === 0 ? '' : apart + parts.join(' · ');
}

const more = (n: number): string => (n === 0 ? '' : `, ${n} more`);
