/** The table agent × clause as text, and beneath it what did not pass, with its reason. */
import type { ClauseId, ClauseOutcome, ClauseResult, Impossible } from './outcome.ts';

export interface Tried {
  readonly name: string;
  readonly version: string | null;
  readonly results: readonly ClauseResult[];
  /** What it asks for past every door, with the reason. */
  readonly outside?: Readonly<Record<string, Impossible>>;
}

const signs: Readonly<Record<ClauseOutcome['result'], string>> = {
  pass: 'ok',
  fail: 'FAIL',
  skip: 'skip',
  not_run: '·',
};

/** All failures of the model's service share the last column. */
export function conformanceTable(tried: readonly Tried[]): string {
  const ids = [...new Set(tried.flatMap(({ results }) => results.map(({ clause }) => clause)))];
  const single = ids.filter((id) => !id.startsWith('F:'));
  const hasFailures = single.length < ids.length;
  const rows = [
    ['', ...single, ...(hasFailures ? ['F'] : [])],
    ...tried.map(({ name, version, results }) => [
      `${name} ${version ?? ''}`.trim(),
      ...single.map((id) => signOf(results, id)),
      ...(hasFailures ? [failuresOf(results)] : []),
    ]),
  ];
  return [columns(rows), '', ...tried.flatMap(reasonsOf)].join('\n');
}

/** Cells under one another, a line for each row; no row has more cells than the first. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

function signOf(results: readonly ClauseResult[], id: ClauseId): string {
  const found = results.find(({ clause }) => clause === id);
  return found === undefined ? '' : signs[found.outcome.result];
}

function failuresOf(results: readonly ClauseResult[]): string {
  const of = results.filter(({ clause }) => clause.startsWith('F:'));
  if (of.length === 0) return '';
  return `${of.filter(({ outcome }) => outcome.result === 'pass').length}/${of.length}`;
}

function reasonsOf({ name, results, outside = {} }: Tried): readonly string[] {
  const known = Object.entries(outside).map(
    ([asked, { reason, until }]) => `${name} C11 may ask ${asked} until ${until}: ${reason}`,
  );
  const reasons = results.flatMap((result) => {
    const reason = reasonOf(result);
    return reason === null ? [] : [`${name} ${result.clause} ${reason}`];
  });
  const isAsked = results.some(({ clause }) => clause === 'C11');
  return [...reasons, ...(isAsked ? known : [])];
}

function reasonOf({ title, outcome }: ClauseResult): string | null {
  switch (outcome.result) {
    case 'pass':
    case 'not_run':
      return null;
    case 'skip':
      return `skipped until ${outcome.until}: ${outcome.reason}`;
    case 'fail':
      return `${title}: ${outcome.kind}: ${outcome.detail}`;
  }
}
