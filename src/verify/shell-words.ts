/**
 * Which programs a shell command line runs, as far as its words tell: no shell is needed for what
 * people write as a check. A word too few only means that a change is named and not asked about.
 */

const interpreters =
  /^(?:sh|bash|dash|zsh|ksh|fish|node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|pwsh|source|\.)$/;
const wrappers = /^(?:env|exec|time|nice|command|npx|timeout|if|then|else|elif|do|while|until|!)$/;
/** With these an interpreter runs no script file, or is a test runner whose files are tests. */
const noScript = /^(?:-c|-e|-m|-p|--eval|--print|--test|test)$/;

/** With these an interpreter reads a file for its syntax and runs nothing of it. */
const onlyReads: Readonly<Record<string, RegExp>> = {
  node: /^(?:--check|-c)$/,
  nodejs: /^(?:--check|-c)$/,
  sh: /^-[a-z]*n[a-z]*$/,
  ruby: /^-[a-z]*c[a-z]*$/,
  perl: /^-[a-z]*c[a-z]*$/,
  php: /^(?:-l|--syntax-check)$/,
  deno: /^(?:check|lint|fmt)$/,
};

/** The first word of each simple command and, after an interpreter, the script that it runs. */
export function programsOf(command: string): readonly string[] {
  // What is quoted is one word, and never a program of its own.
  const unquoted = command.replace(/"[^"]*"|'[^']*'/g, (text) =>
    /^.[\w./-]+.$/.test(text) ? text.slice(1, -1) : '-',
  );
  return unquoted.split(/&&|\|\||[;|&\n(){}]/).flatMap((simple) => {
    const words = simple
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '' && !/^\w+=/.test(word) && !wrappers.test(word));
    const [first] = words;
    if (first === undefined) return [];
    const name = first.slice(first.lastIndexOf('/') + 1);
    if (!interpreters.test(name)) return [first];
    if (isOnlyRead(name, words.slice(1))) return [first];
    const script = words.slice(1).find((word) => noScript.test(word) || !word.startsWith('-'));
    return script === undefined || noScript.test(script) ? [first] : [first, script];
  });
}

/** Flags come before the file that they are about; `deno check` is a word of its own. */
function isOnlyRead(name: string, words: readonly string[]): boolean {
  const reads = onlyReads[/^(?:ba|da|z|k)?sh$/.test(name) ? 'sh' : name];
  if (reads === undefined) return false;
  const file = words.findIndex((word) => !word.startsWith('-') && !reads.test(word));
  return words.slice(0, file < 0 ? words.length : file).some((word) => reads.test(word));
}
