import type { Context } from './command.ts';

/** A filter that found nothing is named, so that nobody takes this project for all of them. */
export function nothingOf(context: Context, what: string, command: string): string[] {
  if (context.given.has('all-projects')) return [`${what}.`];
  return [`${what} in this project · ${context.called} ${command} -A looks in every one`];
}
