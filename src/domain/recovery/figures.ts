/**
 * How often, and for how long, a run helps itself before it asks its operator (DESIGN §13, RR-40).
 * A run takes its figures from its own snapshot; what that does not name is as it is here.
 */
import { recoveryUsual } from '../../kernel/recovery-bounds.ts';
import { readsOnly } from '../execution/roles.ts';
import type { ExecutionRole } from '../execution/state.ts';

export interface RecoveryTerms {
  readonly requeues: number;
  readonly transfers: number;
  /** Re-spawns after a lane that ended by itself without a result; absent: by its role. */
  readonly cleanExits?: number;
  /** How often a stalled lane is nudged; absent: twice. */
  readonly nudges?: number;
  /** How long a lane may be stalled, in all, until it is re-spawned. */
  readonly silenceMs?: number;
  /** How long a run may be without work until it is handed to its operator. */
  readonly graceMs?: number;
}

export interface RecoveryFigures {
  readonly requeues: number;
  readonly transfers: number;
  /** Of a lane that makes; who only reads may be asked once more. */
  readonly cleanExits: { readonly execute: number; readonly judge: number };
  readonly nudges: number;
  readonly silenceMs: number;
  readonly graceMs: number;
}

/** Between two sweeps; what is counted in sweeps counts these. */
export const sweepMs = 15_000;

/** Looks that must agree before anything is done for the sake of a deadline alone. */
export const looksMin = 2;

export const recoveryDefaults: RecoveryFigures = {
  ...recoveryUsual,
  cleanExits: { execute: 1, judge: 2 },
};

export function recoveryFigures(terms: RecoveryTerms): RecoveryFigures {
  const { cleanExits, nudges, silenceMs, graceMs } = terms;
  const usual = recoveryDefaults;
  return {
    requeues: terms.requeues,
    transfers: terms.transfers,
    cleanExits:
      cleanExits === undefined ? usual.cleanExits : { execute: cleanExits, judge: cleanExits },
    nudges: nudges ?? usual.nudges,
    silenceMs: silenceMs ?? usual.silenceMs,
    graceMs: graceMs ?? usual.graceMs,
  };
}

/** What of the present job's recoveries was spent. */
export interface RecoveriesSpent {
  readonly requeues: number;
  readonly transfers: number;
  readonly cleanExits?: number;
}

export interface Recovery {
  readonly action: 'requeue' | 'transfer';
  readonly role: ExecutionRole;
  /** It ended by itself, in good order, and left no result. */
  readonly isCleanExit: boolean;
}

/** Whether the job's budget allows this recovery. */
export function mayRecover(
  { action, role, isCleanExit }: Recovery,
  spent: RecoveriesSpent,
  figures: RecoveryFigures,
): boolean {
  if (action === 'transfer') return spent.transfers < figures.transfers;
  if (spent.requeues >= figures.requeues) return false;
  if (!isCleanExit) return true;
  const most = readsOnly(role) ? figures.cleanExits.judge : figures.cleanExits.execute;
  return (spent.cleanExits ?? 0) < most;
}
