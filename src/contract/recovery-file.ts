/**
 * `recovery` of the file form to the canonical one and back: how often a run helps itself (RR-40).
 * What is as it always is does not stand in the canonical form, but for the two budgets that were
 * there first.
 */
import * as z from 'zod';
import { recoveryBounds, recoveryUsual } from '../kernel/recovery-bounds.ts';
import { durationPattern, parseDuration, printDuration } from './duration.ts';

const count = (of: 'requeues' | 'transfers' | 'cleanExits' | 'nudges', what: string) =>
  z.int().min(recoveryBounds[of].least).max(recoveryBounds[of].most).describe(what).optional();

const span = (of: 'silenceMs' | 'graceMs', what: string, example: string) => {
  const { least, most } = recoveryBounds[of];
  const allowed = `${printDuration(least)}–${printDuration(most)}`;
  const fits = (text: string) => {
    const ms = parseDuration(text);
    return ms === null || (ms >= least && ms <= most);
  };
  return z
    .string()
    .regex(durationPattern, 'a span like 90s, 15m, 8h or 1h30m')
    .refine(fits, `a span of ${allowed}`)
    .describe(what)
    .meta({ examples: [example] })
    .optional();
};

export const recovery = z
  .strictObject({
    requeues: count('requeues', 'New executions after a dead lane. Default 2.'),
    transfers: count('transfers', 'New executions after a lost lease. Default 3.'),
    cleanExits: count(
      'cleanExits',
      'Of the requeues, those after a lane that ended by itself without a result. Default 1, and 2 for a judge.',
    ),
    nudges: count('nudges', 'How often a stalled lane is nudged. Default 2.'),
    silence: span(
      'silenceMs',
      'How long a lane may be stalled, in all, 30s–1h. Default 105s.',
      '3m',
    ),
    grace: span(
      'graceMs',
      'How long a run may be without work before it needs its operator, 1m–1h. Default 5m.',
      '10m',
    ),
  })
  .describe('Budgets per job.');

export interface RecoveryValue {
  readonly requeues: number;
  readonly transfers: number;
  readonly cleanExits?: number;
  readonly nudges?: number;
  readonly silenceMs?: number;
  readonly graceMs?: number;
}

type RecoveryFile = z.infer<typeof recovery>;

/** Of `cleanExits` there is none: it is by role. */
export const recoveryFileDefaults = {
  requeues: recoveryUsual.requeues,
  transfers: recoveryUsual.transfers,
  nudges: recoveryUsual.nudges,
  silence: printDuration(recoveryUsual.silenceMs),
  grace: printDuration(recoveryUsual.graceMs),
};

export function recoveryOf(file: { readonly recovery?: RecoveryFile | undefined }): RecoveryValue {
  const usual = recoveryFileDefaults;
  const { cleanExits, nudges, silence, grace, ...told } = file.recovery ?? {};
  const { requeues = usual.requeues, transfers = usual.transfers } = told;
  const silenceMs = unlike(silence, usual.silence);
  const graceMs = unlike(grace, usual.grace);
  return {
    ...{ requeues, transfers },
    ...(cleanExits === undefined ? {} : { cleanExits }),
    ...(nudges === undefined || nudges === usual.nudges ? {} : { nudges }),
    ...(silenceMs === null ? {} : { silenceMs }),
    ...(graceMs === null ? {} : { graceMs }),
  };
}

function unlike(given: string | undefined, usual: string): number | null {
  const ms = given === undefined ? null : parseDuration(given);
  return ms === parseDuration(usual) ? null : ms;
}

export function recoveryFile({ silenceMs, graceMs, ...value }: RecoveryValue): RecoveryFile {
  return {
    ...recoveryFileDefaults,
    ...value,
    ...(silenceMs === undefined ? {} : { silence: printDuration(silenceMs) }),
    ...(graceMs === undefined ? {} : { grace: printDuration(graceMs) }),
  };
}
