/** What `pawl init` writes: a new `pawl.yaml`, or the missing keys in the one that is there. */
import { Document, parseDocument } from 'yaml';
import type { Answers } from './init-answers.ts';

type Entry = readonly [path: readonly string[], value: unknown];

const schemaLine = '# yaml-language-server: $schema=.pawl/pawl.schema.json';

/**
 * `before`: the text of the file that is there; null: a new one. New keys are put below what stands
 * there, which stays as it is to the letter unless one of its own maps gets an entry.
 */
export function fileText(before: string | null, answers: Answers, isWithoutGit: boolean): string {
  const entries = entriesOf(answers, isWithoutGit);
  if (before === null) {
    return `${schemaLine}\n${written(new Document({ version: 1 }), entries)}`;
  }
  const there = parseDocument(before);
  const isInside = ([path]: Entry): boolean => there.has(path[0]);
  const inside = entries.filter(isInside);
  const kept = inside.length === 0 ? before : written(there, inside);
  const added = entries.filter((entry) => !isInside(entry));
  if (added.length === 0) return kept;
  return `${kept}${kept.endsWith('\n') ? '' : '\n'}${written(new Document({}), added)}`;
}

function written(document: Document | Document.Parsed, entries: readonly Entry[]): string {
  for (const [path, value] of entries) {
    const isShort = path.length > 1 || typeof value === 'object';
    const node = document.createNode(value, { flow: isShort && path[0] !== 'criteria' });
    document.setIn(path, node);
  }
  return document.toString({ lineWidth: 0 });
}

function entriesOf(
  { checks, setup, agent, permissions, brakes, notify, copy }: Answers,
  isWithoutGit: boolean,
): readonly Entry[] {
  const entries: Entry[] = [...agentEntries(agent)];
  if (setup !== null) entries.push([['setup'], setup]);
  const tests = checks.flatMap(({ test }) => (test === undefined ? [] : [test]));
  if (checks.length > 0) {
    entries.push(
      tests.length === checks.length
        ? [['check'], tests.length === 1 ? tests[0] : tests]
        : [['criteria'], checks],
    );
  }
  const policies: readonly Entry[] = [
    [['permissions'], permissions],
    [['brakes'], brakes],
    [['notify'], notify.length > 0 ? { to: notify } : null],
    [['workspace', 'copy'], copy.length > 0 ? copy : null],
    [['workspace', 'isolation'], isWithoutGit ? 'none' : null],
  ];
  return [...entries, ...policies.filter(([, value]) => value !== null)];
}

/** One that is known by an adapter of its own needs no command. */
function agentEntries(agent: Answers['agent']): readonly Entry[] {
  if (agent === null) return [];
  const { name, command } = agent;
  return [
    [['agent'], name],
    ...(command === null ? [] : [[['agents', name], { command }] as const]),
  ];
}

const linesMax = 2_000;

/** Lines that go and come, in order; what stays is left out. */
export function diffLines(before: string, after: string): readonly string[] {
  const a = before.split('\n').slice(0, linesMax);
  const b = after.split('\n').slice(0, linesMax);
  const lengths = commonLengths(a, b);
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(lengths, i + 1, j) >= at(lengths, i, j + 1))) {
      lines.push(`- ${a[i]}`);
      i += 1;
    } else {
      lines.push(`+ ${b[j]}`);
      j += 1;
    }
  }
  return lines;
}

const at = (rows: readonly Uint16Array[], i: number, j: number): number => rows[i]?.[j] ?? 0;

/** Length of the longest common subsequence of the rests from each pair of places. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint16Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = rows[i];
    if (row === undefined) continue;
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] =
        a[i] === b[j]
          ? at(rows, i + 1, j + 1) + 1
          : Math.max(at(rows, i + 1, j), at(rows, i, j + 1));
    }
  }
  return rows;
}
