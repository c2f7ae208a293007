/** The {@link Notifier}: each target by its own way, all held to the same rate and deadline. */
import { WorldError } from '../kernel/errors.ts';
import { unreachable } from '../kernel/invariant.ts';
import { clipLine } from '../kernel/text.ts';
import type { Delivery, Notifier } from '../ports/notifier.ts';
import type { NoticeTarget } from '../ports/words.ts';
import { byCommand } from './command.ts';
import { byDesktop } from './desktop.ts';
import { byNtfy } from './ntfy.ts';
import { noticesMax, rate, windowMs } from './rate.ts';
import { byWebhook, isReference } from './webhook.ts';
import type { World } from './world.ts';

export type NotifierOptions = World;

const labelMax = 60;

export function notifier(world: NotifierOptions): Notifier {
  const limit = rate();
  return {
    label: labelOf,
    deliver: async (notice, target, signal) => {
      if (!limit.take(labelOf(target), world.clock.monotonicMs())) {
        return held(`held back: ${noticesMax} in ${windowMs / 60_000}m were sent there`);
      }
      try {
        switch (target.kind) {
          case 'desktop':
            return await byDesktop(notice, world);
          case 'ntfy':
            return await byNtfy(notice, target, world, signal);
          case 'webhook':
            return await byWebhook(notice, target, world, signal);
          case 'command':
            return await byCommand(notice, target.argv, world);
          default:
            return unreachable(target);
        }
      } catch (error: unknown) {
        return held(whyOf(error));
      }
    },
  };
}

/** A reference that cannot be had; its error names the variable or file, and no value. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const found = error instanceof WorldError ? error.details.found : undefined;
  return found === undefined ? error.message : `${error.message}: ${found}`;
}

const held = (detail: string): Delivery => ({ state: 'not_delivered', detail });

function labelOf(target: NoticeTarget): string {
  switch (target.kind) {
    case 'desktop':
      return 'desktop';
    case 'ntfy':
      return `ntfy:${hostOf(target.url)}`;
    case 'webhook':
      return `webhook:${isReference(target.url) ? clipLine(target.url, labelMax) : hostOf(target.url)}`;
    case 'command':
      return `command:${clipLine(target.argv[0] ?? '', labelMax)}`;
    default:
      return unreachable(target);
  }
}

/** Topic, path and user are left out: they may be what keeps others away. */
function hostOf(url: string): string {
  try {
    return clipLine(new URL(url).host, labelMax);
  } catch {
    // The contract has seen that it looks like an address; what is left is not worth a failure.
    return 'address';
  }
}
