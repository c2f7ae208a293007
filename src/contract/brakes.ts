/** Brakes: defaults of ruling 20, ceilings of the user's file, and no run without a finite one. */
import { attemptsMost } from '../kernel/brake-bounds.ts';
import { RequestError } from '../kernel/errors.ts';
import type { BrakesValue } from './definition.ts';
import type { DefinitionFile, UserConfigFile } from './definition-file.ts';
import { parseDuration, printDuration } from './duration.ts';
import type { Layer } from './layer.ts';
import type { Merged } from './merge.ts';
import { isMetered } from './models.ts';

const hourMs = 3_600_000;
const next = 'correct it, and try:  pawl config check';
const timeMaxMs = 7 * 24 * hourMs;

/** The default brake on money is for metered figures alone (ruling 20); a set one is for all. */
const meteredCostUsd = 20;
const defaults = {
  attempts: 5,
  tokens: null,
  steps: null,
  timeMs: 8 * hourMs,
  attemptTimeMs: 1.5 * hourMs,
  waitTimeMs: 12 * hourMs,
  errorSignals: 3,
};

export function brakesOf(
  merged: Merged,
  layers: readonly Layer[],
  problems: RequestError[],
  notes: string[],
): BrakesValue {
  const costUsd = isMetered(merged.value) ? meteredCostUsd : null;
  const asked = readBrakes(merged.value.brakes ?? {}, costUsd);
  const ceiling = layers.find((layer) => layer.kind === 'user');
  const where = placeOf(merged, []);
  if (isEndless(asked)) {
    problems.push(endless(merged, ceiling, where));
    return asked;
  }
  if (asked.attempts === 0) {
    problems.push(
      new RequestError('bad_value', `"brakes.attempts" must be 1–${attemptsMost}`, {
        where: placeOf(merged, ['attempts']),
        found: '0',
        next,
      }),
    );
  }
  if (asked.timeMs !== null && (asked.timeMs < 1 || asked.timeMs > timeMaxMs)) {
    problems.push(
      new RequestError('bad_value', '"brakes.time" must be up to 7d', {
        where: placeOf(merged, ['time']),
        found: printDuration(asked.timeMs),
        allowed: 'a span from 1ms to 7d',
        next,
      }),
    );
  }
  return capped(asked, ceiling?.value.ceilings, notes);
}

function readBrakes(
  file: NonNullable<DefinitionFile['brakes']>,
  costUsd: number | null,
): BrakesValue {
  return {
    attempts: file.attempts === undefined ? defaults.attempts : file.attempts,
    costUsd: file.cost === undefined ? costUsd : file.cost,
    tokens: file.tokens ?? null,
    steps: null,
    timeMs:
      file.time === undefined
        ? defaults.timeMs
        : file.time === null
          ? null
          : parseDuration(file.time),
    attemptTimeMs: spanOr(file.attemptTime, defaults.attemptTimeMs),
    waitTimeMs: spanOr(file.waitTime, defaults.waitTimeMs),
    errorSignals: file.errorSignals ?? defaults.errorSignals,
  };
}

function isEndless(brakes: BrakesValue): boolean {
  const finite = (value: number | null): boolean => value !== null && value > 0;
  return !finite(brakes.attempts) && !finite(brakes.costUsd) && !finite(brakes.timeMs);
}

function endless(merged: Merged, user: Layer | undefined, where: string): RequestError {
  const file = merged.value.brakes ?? {};
  const said = (value: unknown): string => (value === undefined ? 'null' : String(value));
  const cost = user?.value.ceilings?.cost;
  const ceiling =
    cost === undefined || cost === null
      ? ''
      : ` up to your ceiling ($${cost}, ${lineOf(user?.where(['ceilings', 'cost']) ?? '')})`;
  return new RequestError('endless', 'a run needs a finite brake', {
    where,
    found: `attempts: ${said(file.attempts)}, cost: ${said(file.cost)}, time: ${said(file.time)}`,
    allowed: `attempts 1–${attemptsMost}, time up to 7d, cost${ceiling}`,
    next: 'remove the brakes block to get the defaults (5 attempts, 8h, $20)',
  });
}

/** `config.yaml:3:19` → `config.yaml:3`. */
const lineOf = (where: string): string => where.replace(/^(.*:\d+):\d+$/, '$1');

function capped(
  asked: BrakesValue,
  ceilings: UserConfigFile['ceilings'],
  notes: string[],
): BrakesValue {
  if (ceilings === undefined) return asked;
  const cap = (
    name: string,
    value: number | null,
    ceiling: number | null | undefined,
  ): number | null => {
    if (ceiling === null || ceiling === undefined) return value;
    if (value !== null && value <= ceiling) return value;
    notes.push(`${name} is capped by your ceilings`);
    return ceiling;
  };
  const span = (text: string | null | undefined): number | undefined =>
    text === null || text === undefined ? undefined : (parseDuration(text) ?? undefined);
  return {
    ...asked,
    attempts: cap('attempts', asked.attempts, ceilings.attempts),
    costUsd: cap('cost', asked.costUsd, ceilings.cost),
    tokens: cap('tokens', asked.tokens, ceilings.tokens),
    timeMs: cap('time', asked.timeMs, span(ceilings.time)),
    attemptTimeMs:
      cap('attemptTime', asked.attemptTimeMs, span(ceilings.attemptTime)) ?? asked.attemptTimeMs,
    waitTimeMs: cap('waitTime', asked.waitTimeMs, span(ceilings.waitTime)) ?? asked.waitTimeMs,
    errorSignals:
      cap('errorSignals', asked.errorSignals, ceilings.errorSignals) ?? asked.errorSignals,
  };
}

function spanOr(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : (parseDuration(text) ?? otherwise);
}

function placeOf(merged: Merged, path: readonly string[]): string {
  const whole = ['brakes', ...path];
  return merged.origin(whole)?.where(whole) ?? '';
}
