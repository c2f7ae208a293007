/**
 * Which programs a shell command line runs, as far as its words tell: no shell is needed for what
 * people write as a check. A word too few only means that a change is named and not asked about.
 */

const interpreters =
  /^(?:sh|bash|dash|zsh|ksh|fish|node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|pwsh)$/;
const wrappers = /^(?:env|exec|time|nice|command|npx|timeout)$/;
/** With these an interpreter runs no script file, or is a test runner whose files are tests. */
const noScript = /^(?:-c|-e|-m|-p|--eval|--print|--test|test)$/;

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
    if (!interpreters.test(first.slice(first.lastIndexOf('/') + 1))) return [first];
    const script = words.slice(1).find((word) => noScript.test(word) || !word.startsWith('-'));
    return script === undefined || noScript.test(script) ? [first] : [first, script];
  });
}
