/** Starts a run and watches it, or returns at once; the same path for `run`, `retry` and `demo`. */
import type { Client, RunView } from '../ports/client.ts';
import type { Definition } from '../ports/words.ts';
import type { Context } from './command.ts';
import { exits } from './exit.ts';
import type { ViewOptions } from './teller.ts';
import { viewRun } from './viewer.ts';
import { runJson } from './wire.ts';

export interface StartOptions {
  readonly definition: Definition;
  readonly notes: readonly string[];
  readonly heartbeatMs: number | null;
  readonly isDetached: boolean;
  readonly isDryRun?: true;
  readonly onLook?: NonNullable<ViewOptions['onLook']>;
  /** How the run is started; a retry starts it otherwise. */
  readonly start?: (client: Client) => Promise<RunView>;
}

export async function startAndView(context: Context, options: StartOptions): Promise<number> {
  const client = await context.client();
  const { definition, isDetached } = options;
  const principal = await context.principal();
  const run =
    options.start === undefined
      ? await client.start(
          { definition, detached: isDetached, resumedFrom: null, from: null },
          principal,
        )
      : await options.start(client);
  await client.ensureDriver();
  if (!isDetached) {
    const { notes, heartbeatMs, onLook, isDryRun } = options;
    return viewRun(context, {
      client,
      run,
      definition,
      notes,
      heartbeatMs,
      timeoutMs: null,
      ...(onLook === undefined ? {} : { onLook }),
      ...(isDryRun === undefined ? {} : { isDryRun }),
    });
  }
  const { called } = context;
  if (context.isJson) context.json(runJson(run));
  else {
    context.print([
      `run       ${run.name} ${run.short} · detached`,
      ...options.notes.map((line) => `note      ${line}`),
      `next      ${called} watch ${run.short}`,
      `          ${called} status`,
    ]);
  }
  return exits.done;
}
