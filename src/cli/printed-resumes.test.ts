/**
 * Goal: whatever a run is parked for, each resume that its page prints lifts that park (RR-34).
 * Method: a real engine over a store in memory; a run for each reason and each of its options,
 * typed as it is printed, with a hint in the place of a placeholder.
 */
import { expect, test } from 'vitest';
import { bench, plainDefinition, prepared, work } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import { parkFor } from '../../test/support/park-for.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import type { ScriptedClient } from '../../test/support/scripted-client.ts';
import { type ParkReason, parkReasons } from '../domain/run/state.ts';

const reasons: readonly ParkReason[] = Object.values(parkReasons).flat();
const brakes = { ...plainDefinition.brakes, steps: 5, tokens: 1_000, costUsd: 1 };
const definition = { ...plainDefinition, brakes };

async function parked(reason: ParkReason) {
  const here = bench();
  const start = { definition, detached: true, resumedFrom: null, from: null };
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  await parkFor(here.engine, id, reason);
  const view = await here.client.find({ text: id, project: null });
  const printed = view.options.map(({ command }) => command);
  return { here, view, resumes: printed.filter((line) => line.startsWith('pawl resume ')) };
}

test.each(reasons)('%s: each resume on its page is taken (RR-34)', async (reason) => {
  const { resumes } = await parked(reason);
  for (const [n] of resumes.entries()) {
    const { here, view, resumes: own } = await parked(reason);
    const words = (own[n] ?? '').replace('"…"', 'think').split(' ').slice(1);
    const { exit, err } = await typed(words, { client: here.client as ScriptedClient });
    expect({ exit, err }, own[n]).toEqual({ exit: 0, err: '' });
    const events = await here.engine.store.events(view.id, view.version, 100);
    expect(events.map(({ event }) => event.type)).toContain('run.resumed');
  }
});
