/**
 * Process trees of this machine: spawned inside the best rung of the containment ladder, ended with
 * proof. Owns nothing but the children it spawned; everything that must outlive it is in the spool.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDiskFull } from '../kernel/disk-full.ts';
import { RequestError, TransientError } from '../kernel/errors.ts';
import type { ContainedProcess, DetachedSpec, Processes, ProcessSpec } from '../ports/processes.ts';
import { containedProcess } from './containment/contained-process.ts';
import { endTree } from './containment/ending.ts';
import { installGuard } from './containment/guard-source.ts';
import { programMarker } from './containment/machine-scan.ts';
import { type Offer, probeLadder } from './containment/probe.ts';
import { findProgram } from './containment/program-lookup.ts';
import type { Rung } from './containment/rung-lines.ts';
import { spawnContained } from './containment/spawn-contained.ts';
import { holderLives, selfHolder } from './identity.ts';

export interface NodeProcessesOptions {
  /** Where the guard's program and the result of the probe are kept. */
  readonly stateDirectory: string;
  /** Pawl's own PATH: its containment tools are looked up there, never on that of an agent. */
  readonly path?: string | undefined;
  /** For tests: this rung or an error, instead of the best one. */
  readonly forceRung?: Rung;
}

export function nodeProcesses(options: NodeProcessesOptions): Processes {
  let prepared: Promise<{ offer: Offer; guardPath: string }> | null = null;
  const prepare = async () => {
    const guardPath = await installGuard(options.stateDirectory);
    return { guardPath, offer: await probeLadder(options.stateDirectory, guardPath, options.path) };
  };
  return {
    self: selfHolder,
    lives: holderLives,
    endRecorded: endTree,
    spawnDetached,
    async spawn(spec) {
      requireProgram(spec);
      prepared ??= prepare();
      const { offer, guardPath } = await prepared;
      return spawnOnLadder(spec, { offer, guardPath }, rungsToTry(offer, options.forceRung));
    },
  };
}

function rungsToTry(offer: Offer, forced: Rung | undefined): readonly Rung[] {
  if (forced === undefined) return offer.rungs;
  if (!offer.rungs.includes(forced)) {
    throw new TransientError('containment_failed', `this machine does not offer ${forced}`);
  }
  return [forced];
}

/** A rung that worked at the probe may fail later (a limit was reached): then the next one down. */
async function spawnOnLadder(
  spec: ProcessSpec,
  machine: { readonly offer: Offer; readonly guardPath: string },
  rungs: readonly Rung[],
): Promise<ContainedProcess> {
  let failed: unknown = null;
  for (const rung of rungs) {
    try {
      return containedProcess(await spawnContained(spec, { rung, ...machine }), spec);
    } catch (error: unknown) {
      if (!(error instanceof TransientError)) throw error;
      failed = error;
    }
  }
  throw failed;
}

function requireProgram(spec: ProcessSpec): void {
  const program = spec.program ?? spec.argv[0] ?? '';
  const path = spec.env['PATH'] ?? '';
  if (findProgram(program, spec.cwd, path) !== null) return;
  const where = program.includes('/') ? 'that may be run' : 'on PATH';
  throw new RequestError('program_missing', `there is no program "${program}" ${where}`);
}

async function spawnDetached(spec: DetachedSpec): Promise<number> {
  const [program = '', ...args] = spec.argv;
  const log = openLog(spec.log);
  try {
    const child = spawn(program, args, {
      cwd: spec.cwd,
      env: { ...spec.env, [programMarker]: '1' },
      detached: true,
      stdio: ['ignore', log, log],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    return child.pid ?? 0;
  } finally {
    if (log !== 'ignore') closeSync(log);
  }
}

/** A log that has no room is none: the program is started all the same. */
function openLog(path: string): number | 'ignore' {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, 'a', 0o600);
  } catch (error: unknown) {
    if (isDiskFull(error)) return 'ignore';
    throw error;
  }
}
