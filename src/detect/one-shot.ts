/**
 * Scripts that watch never end by themselves. Each known watcher has the form that runs once; a
 * script that is more than one plain command is not rewritten, only told about.
 */

interface Watcher {
  readonly program: string;
  /** Watches unless one of these words is there; null: watches only when asked to. */
  readonly once: readonly string[] | null;
  /** Words that ask for watching; they are left out. */
  readonly watching: readonly string[];
  /** Word that makes it run once, put after the program. */
  readonly add: string | null;
}

const watchers: readonly Watcher[] = [
  {
    program: 'vitest',
    once: ['run', '--run', 'related', 'list', '--watch=false', '--no-watch'],
    watching: ['watch', 'dev', '--watch', '-w', '--ui'],
    add: 'run',
  },
  {
    program: 'jest',
    once: null,
    watching: ['--watch', '--watchAll', '--watch=true', '--watchAll=true'],
    add: null,
  },
  { program: 'mocha', once: null, watching: ['--watch', '-w'], add: null },
  { program: 'ava', once: null, watching: ['--watch', '-w'], add: null },
  { program: 'node', once: null, watching: ['--watch'], add: null },
  { program: 'tsc', once: null, watching: ['--watch', '-w'], add: null },
  { program: 'tap', once: null, watching: ['--watch', '-w'], add: null },
  { program: 'eslint', once: null, watching: ['--watch'], add: null },
  { program: 'web-test-runner', once: null, watching: ['--watch'], add: null },
  { program: 'wtr', once: null, watching: ['--watch'], add: null },
];

/** Run other programs for ever; there is no form of them that runs once. */
const supervisors: ReadonlySet<string> = new Set(['nodemon', 'watchexec', 'chokidar', 'onchange']);
/** Words that may stand before the program. */
const before = /^(?:\w+=\S*|cross-env|npx|bunx|yarn|pnpm|exec|c8|nyc|dotenv|--)$/;
const moreThanOne = /[;&|<>`$(){}\n]/;

export type ScriptForm =
  | { readonly watches: false }
  | { readonly watches: true; readonly oneShot: string | null };

/** Whether a script of `package.json` watches, and how it runs once. */
export function scriptForm(script: string): ScriptForm {
  const parts = script.split(/&&|\|\||[;|&\n]/).map((part) => formOf(part.trim()));
  const isWatching = parts.some(({ watches }) => watches);
  if (!isWatching) return { watches: false };
  const [only] = parts;
  if (moreThanOne.test(script) || only === undefined) return { watches: true, oneShot: null };
  return only;
}

function formOf(part: string): ScriptForm {
  const words = part.split(/\s+/).filter((word) => word !== '');
  const at = words.findIndex((word) => !before.test(word));
  const program = words[at] ?? '';
  if (supervisors.has(program)) return { watches: true, oneShot: null };
  const watcher = watchers.find((row) => row.program === program);
  if (watcher === undefined) return { watches: false };
  const rest = words.slice(at + 1);
  return watches(watcher, rest)
    ? { watches: true, oneShot: onceOf(watcher, words.slice(0, at + 1), rest) }
    : { watches: false };
}

function watches({ once, watching }: Watcher, words: readonly string[]): boolean {
  const isAsked = words.some((word) => watching.includes(word));
  return once === null ? isAsked : !words.some((word) => once.includes(word));
}

function onceOf(watcher: Watcher, head: readonly string[], rest: readonly string[]): string | null {
  const kept = rest.filter((word) => !watcher.watching.includes(word));
  return [...head, ...(watcher.add === null ? [] : [watcher.add]), ...kept].join(' ');
}
