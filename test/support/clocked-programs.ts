/**
 * The built programs with a clock that a test sets, one for each machine: a copy of `dist` whose
 * programs load `clock-shim.cjs` first. Not libfaketime: a host on a worker is started with an
 * allow-list of its environment, so that neither LD_PRELOAD nor NODE_OPTIONS reaches it; and it is
 * a package to be installed, on Linux alone. What is shipped has no such switch.
 */
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binary } from './pawl.ts';

const shim = 'clock-shim.cjs';

export interface ClockedPrograms {
  readonly program: string;
  remove(): void;
}

export function clockedPrograms(): ClockedPrograms {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-clocked-'));
  const programs = join(directory, 'dist');
  cpSync(dirname(binary), programs, {
    recursive: true,
    filter: (path) => !path.endsWith('.code'),
  });
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'), 'dir');
  copyFileSync(fileURLToPath(new URL(shim, import.meta.url)), join(programs, shim));
  for (const name of readdirSync(programs)) {
    const load = loads(name);
    if (load === null) continue;
    const text = readFileSync(join(programs, name), 'utf8');
    const [, hashbang = '', rest = text] = /^(#!.*\n)([\s\S]*)$/.exec(text) ?? [];
    writeFileSync(join(programs, name), `${hashbang}${load}\n${rest}`);
  }
  return {
    program: join(programs, 'pawl.cjs'),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** The other `.cjs` are parts of that one, run in its process as they are. */
function loads(name: string): string | null {
  if (name === 'pawl.cjs') return `require('./${shim}');`;
  return name.endsWith('.js') ? `import './${shim}';` : null;
}

export interface ClockSetting {
  /** How far the wall clock is ahead. */
  readonly wallMs: number;
  /** While its processes stand still the machine sleeps: its monotonic clock stands still too. */
  readonly sleeps?: boolean;
}

/** Of the machine whose folder that is; may be set while it runs. */
export function setClock(root: string, { wallMs, sleeps = false }: ClockSetting): void {
  const draft = join(root, 'clock.json.new');
  writeFileSync(draft, JSON.stringify({ wallMs, sleeps }));
  renameSync(draft, join(root, 'clock.json'));
}
