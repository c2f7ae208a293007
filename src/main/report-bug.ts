import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Surroundings } from './surroundings.ts';

/** Writes what is known of a bug of ours, without the environment, and answers with the path. */
export async function reportBug(
  around: Surroundings,
  argv: readonly string[],
  error: unknown,
): Promise<string> {
  const directory = join(around.home, 'reports');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const at = new Date().toISOString();
  const path = join(directory, `${at.replaceAll(':', '-')}-${process.pid}.txt`);
  const facts = [
    `pawl ${around.version} · node ${process.version} · ${process.platform} ${process.arch}`,
    `at ${at}`,
    // The verb alone: a goal or a note may hold what nobody should send around.
    `command ${argv.find((word) => !word.startsWith('-')) ?? '(none)'}`,
    '',
    describe(error),
  ];
  writeFileSync(path, `${facts.join('\n')}\n`, { mode: 0o600 });
  return path;
}

function describe(error: unknown): string {
  const lines: string[] = [];
  let at: unknown = error;
  for (let depth = 0; depth < 10 && at !== undefined; depth += 1) {
    lines.push(at instanceof Error ? (at.stack ?? at.message) : String(at));
    at = at instanceof Error ? at.cause : undefined;
  }
  return lines.join('\ncaused by ');
}
