/** The agents of `pawl doctor` (UX 5.4): a table, or where that is too wide a list. Pure. */
import { clean, padTo, widthOf } from '../text.ts';

export interface AgentLine {
  readonly name: string;
  /** Under {@link headings}, in their order; null: it is not installed. */
  readonly cells: readonly string[] | null;
  /** Whose cells have a star, which a line below the table explains. */
  readonly notes: readonly (keyof typeof explanations)[];
  /** What is wrong with it, a line each, with its sign. */
  readonly problems: readonly string[];
  readonly next: string | null;
}

const headings = [
  ...['version', 'login', 'driver', 'tools', 'usage', 'limits', 'resume', 'cancel', 'last probe'],
];
/** Of the table above; each is at least this wide. */
const widths = [11, 10, 9, 7, 9, 9, 8, 11, 0];
const nameColumns = 11;
const explanations = {
  outlives: '* tools outlive a cancel; pawl ends them itself',
  door: '* a limit is seen by the models door alone: with login: key, not with its own login',
} as const;

/** Without the label of the section. */
export function agentLines(lines: readonly AgentLine[], columns: number): readonly string[] {
  const found = lines.flatMap(({ cells }) => (cells === null ? [] : [cells]));
  const rest = widths.map((least, i) => {
    const widest = Math.max(0, ...found.map((cells) => widthOf(cells[i] ?? '')));
    return Math.max(least, widest + 2);
  });
  const name = Math.max(nameColumns, ...lines.map((line) => widthOf(line.name) + 2));
  const whole = name + rest.reduce((sum, width) => sum + width, 0);
  const isTable = found.length > 0 && whole <= columns;
  const row = (first: string, cells: readonly string[]): string =>
    (padTo(first, name) + cells.map((cell, i) => padTo(cell, rest[i] ?? 0)).join('')).trimEnd();
  const shown = lines.flatMap((line) => {
    const { cells } = line;
    if (cells === null) return withNext([row(line.name, ['not found'])], line, columns);
    return withNext(isTable ? [row(line.name, cells)] : listed(line.name, cells), line, columns);
  });
  return [...(isTable ? [row('', headings)] : []), ...shown, ...explained(lines)].map(clean);
}

function listed(name: string, cells: readonly string[]): readonly string[] {
  const told = headings.map((heading, i) => `${heading} ${cells[i] ?? ''}`);
  const [version = '', ...others] = cells.slice(0, 3);
  const [login = '', driver = ''] = others;
  return [
    `${name} ${version}, login ${login}, ${driver}`,
    `  ${told.slice(3, 6).join(', ')}`,
    `  ${told.slice(6).join(', ')}`,
  ];
}

function withNext(
  rows: readonly string[],
  { problems, next }: AgentLine,
  columns: number,
): readonly string[] {
  const told = problems.map((problem) => `  ${problem}`);
  const last = rows.at(-1) ?? '';
  const one = `${last}    → ${next}`;
  if (next === null) return [...rows, ...told];
  if (widthOf(one) <= columns) return [...rows.slice(0, -1), one, ...told];
  return [...rows, ...told, `  → ${next}`];
}

function explained(lines: readonly AgentLine[]): readonly string[] {
  const names = Object.keys(explanations) as (keyof typeof explanations)[];
  return names
    .filter((name) => lines.some(({ notes }) => notes.includes(name)))
    .map((name) => explanations[name]);
}
