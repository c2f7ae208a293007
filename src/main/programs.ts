/** Programs on this user's PATH, asked for their version with a deadline. */
import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { findProgram } from '../host/containment/program-lookup.ts';
import type { Programs } from '../ports/programs.ts';
import { orNull } from './or-null.ts';
import type { Surroundings } from './surroundings.ts';

/** All of them are asked at once, and each of some is a second's work of a core. */
const deadlineMs = 10_000;
const outputBytesMax = 4_096;

export function pathPrograms({ env, temporary }: Surroundings): Programs {
  const own = env['PATH'] ?? '';
  return {
    searched: foldersOf(own),
    find: async (program, path = own) => findProgram(program, '/', path),
    blocked: async (program, path = own) => {
      const places = isAbsolute(program)
        ? [program]
        : foldersOf(path).map((folder) => join(folder, program));
      for (const place of places) {
        if ((await orNull(stat(place)))?.isFile() === true && findProgram(place, '/', '') === null)
          return place;
      }
      return null;
    },
    version: (program) => firstLine(program, env, temporary),
    hasFile: async (path) => (await orNull(stat(path)))?.isFile() === true,
  };
}

const foldersOf = (path: string): readonly string[] => [
  ...new Set(path.split(delimiter).filter((folder) => folder !== '')),
];

/**
 * A group of its own, so that what a wrapper script started is ended with it. Some say it where
 * others complain: that counts when nothing else was said.
 */
function firstLine(
  program: string,
  env: Surroundings['env'],
  cwd: string,
): ReturnType<Programs['version']> {
  return new Promise((resolve) => {
    const child = spawn(program, ['--version'], {
      cwd,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const said = { out: '', error: '' };
    const timer = setTimeout(() => {
      endGroup(child.pid);
      settle({ notWithinMs: deadlineMs });
    }, deadlineMs);
    const settle = (line: Awaited<ReturnType<Programs['version']>>): void => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(line);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.out = (said.out + text).slice(0, outputBytesMax);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.error = (said.error + text).slice(0, outputBytesMax);
    });
    child.once('error', () => settle(null));
    child.once('close', (exit) => {
      const line = (said.out.trim() === '' ? said.error : said.out).split('\n')[0] ?? '';
      settle(exit === 0 ? line : null);
    });
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error: unknown) {
    // Ended already, the usual case.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
