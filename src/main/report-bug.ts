import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Surroundings } from './surroundings.ts';

/** Writes what is known of a bug of ours, without the environment, and answers with the path. */
export async function reportBug(
  around: Surroundings,
  argv: readonly string[],
  error: unknown,
): Promise<string> {
  const { home, temporary, version } = around;
  return writeReport([join(home, 'reports'), temporary], { version, argv, error });
}

/**
 * Into the first folder that takes it. Never throws: what cannot be written must not hide what is
 * reported.
 */
export function writeReport(
  folders: readonly string[],
  what: { readonly version: string; readonly argv: readonly string[]; readonly error: unknown },
): string {
  const at = new Date().toISOString();
  const name = `${at.replaceAll(':', '-')}-${process.pid}.txt`;
  const text = `${factsOf(at, what).join('\n')}\n`;
  let why = '';
  for (const folder of folders) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, name);
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      return path;
    } catch (error: unknown) {
      why = error instanceof Error ? error.message : String(error);
    }
  }
  return `none could be written (${why})`;
}

function factsOf(at: string, what: Parameters<typeof writeReport>[1]): string[] {
  return [
    `pawl ${what.version} · node ${process.version} · ${process.platform} ${process.arch}`,
    `at ${at}`,
    // The verb alone: a goal or a note may hold what nobody should send around.
    `command ${what.argv.find((word) => !word.startsWith('-')) ?? '(none)'}`,
    '',
    describe(what.error),
  ];
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
