/**
 * What the usual launchers say when the program that a check names is not installed: they end with
 * an exit code of their own, so that 127 does not tell it (UX 1.4). Each line is a launcher's own
 * wording, anchored to its line, so that a test which merely mentions one is not taken for it.
 */
import type { TestCounts } from '../../domain/verdict/verdict.ts';

const sayings: readonly RegExp[] = [
  // npx --no-install, npm exec --no
  /^(?:npm (?:error|ERR!) )?npx canceled due to missing packages.*$/m,
  /^npm (?:error|ERR!) could not determine executable to run.*$/m,
  // pnpm exec, yarn 1
  /^.{0,40}(?:ERR_PNPM_\w+|error)\s+Command "[^"\n]+" not found.*$/m,
  // yarn 2 and later
  /^(?:Usage Error: )?Couldn't find a (?:script|binary) named "[^"\n]+".*$/m,
  /^command not found: \S+$/m,
  // bun run
  /^error: Script not found "[^"\n]+".*$/m,
  // uv run, poetry run, pipenv run
  /^error: Failed to spawn: `[^`\n]+`.*$/m,
  /^Command not found: \S+$/m,
  /^Error: the command \S+ .{0,40}could not be found.*$/m,
  // cargo, rustup
  /^error: no such (?:sub)?command: `[^`\n]+`.*$/m,
  /^error: '[\w.-]+' is not installed for the toolchain.*$/m,
  /^error: toolchain '[^'\n]+' is not installed.*$/m,
  // go tool
  /^go(?: tool)?: no such tool "[^"\n]+".*$/m,
  // bundle exec
  /^bundler: command not found: \S+.*$/m,
  /^Could not find .{1,80} in (?:any of the sources|locally installed gems).*$/m,
  // make, around any of them
  /^g?make(?:\[\d+\])?: \*\*\* \[[^\]\n]+\] Error 12[67]$/m,
];

/** A runner that counted tests was there; what it then said is a matter of the work. */
export function missingTool(text: string, counts: TestCounts | null): string | null {
  if (counts !== null) return null;
  for (const saying of sayings) {
    const said = saying.exec(text)?.[0].trim();
    if (said !== undefined) return said;
  }
  return null;
}
