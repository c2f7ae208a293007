/**
 * Goal: the page of a parked run advises an agent that is there where its lanes would run, or none;
 * a reader, the page that is kept and a council are told the same (RR-32, RR-34).
 */
import { expect, test } from 'vitest';
import { bench, holder, plainDefinition, work } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import { escalationIn } from '../contract/escalation.ts';
import type { Definition } from '../domain/definition/definition.ts';
import type { Instant } from '../domain/ids.ts';
import { textOf } from './artifact-text.ts';
import { escalationKeeper } from './escalations.ts';
import { planeWorkers } from './plane-workers.ts';

const trusted: Definition = { ...plainDefinition, permissions: 'trusted' };
const refused = { kind: 'failed', class: 'auth_required', proof: 'kernel' } as const;
const failed = { ...refused, detail: 'not logged in', commit: null, usage: null, text: null };

/** `ours`: what is found on this machine; null: no lane runs here. */
async function parked(ours: readonly string[] | null, asked: Partial<Definition> = {}) {
  const here = bench(undefined, ours === null ? undefined : { of: async () => ours });
  const definition = { ...trusted, ...asked };
  const start = { definition, detached: true, resumedFrom: null, from: null };
  const { id } = await here.client.start(start, ada);
  await work(here, id, failed);
  const options = async () => (await here.client.find({ text: id, project: null })).options;
  return { here, id, options, advised: async () => agentsIn(await options()) };
}

const agentsIn = (options: readonly { readonly command: string }[]): readonly string[] =>
  options.flatMap(({ command }) => / --agent (\S+)/.exec(command)?.slice(1) ?? []);

test('what is installed here is advised, and where nothing is no agent is named', async () => {
  expect(await (await parked(['pi', 'codex'])).advised()).toEqual(['codex']);
  expect(await (await parked(['pi'])).advised()).toEqual(['pi']);
  const none = await parked([]);
  expect(await none.advised()).toEqual([]);
  expect((await none.options()).map(({ effect }) => effect)).not.toContain(
    'a stronger or other agent',
  );
  // Who has nobody else may still change the definition (EV-68).
  expect((await none.options()).map(({ command }) => command).join()).toMatch(
    /pawl retry .* --edit/,
  );
});

test('a worker that is there and may take the lane counts with the agents that it has', async () => {
  const { execute } = trusted.roles;
  const labelled = { roles: { ...trusted.roles, execute: { ...execute, labels: ['gpu'] } } };
  const { here, advised } = await parked(['claude'], labelled);
  // No host of this machine has a label.
  expect(await advised()).toEqual([]);
  const workers = planeWorkers(here.engine);
  const now = here.engine.clock.now();
  await workers.addCode({ digest: 'd', expiresAt: (now + 1_000) as Instant });
  const box = { id: 'w-box', name: 'box', publicKey: 'k', labels: ['gpu'], slots: 1 };
  await workers.enrol({ codeDigest: 'd', ...box });
  expect(await advised()).toEqual([]);
  const capabilities = ['role:execute', 'agent:command', 'agent:scripted', 'agent:codex'];
  await workers.seen('w-box', { labels: ['gpu'], slots: 1, capabilities });
  expect(await advised()).toEqual(['codex']);
  await workers.seen('w-box', { labels: [], slots: 1, capabilities });
  expect(await advised()).toEqual([]);
  await workers.seen('w-box', { labels: ['gpu'], slots: 1, capabilities });
  here.pass(10 * 60_000);
  expect(await advised()).toEqual([]);
});

test('where workers do all the work, only what they have counts', async () => {
  const { here, advised } = await parked(null);
  const workers = planeWorkers(here.engine);
  const expiresAt = (here.engine.clock.now() + 1_000) as Instant;
  await workers.addCode({ digest: 'd', expiresAt });
  const box = { id: 'w-box', name: 'box', publicKey: 'k', labels: [], slots: 1 };
  await workers.enrol({ codeDigest: 'd', ...box });
  expect(await advised()).toEqual([]);
  await workers.seen('w-box', { labels: [], slots: 1, capabilities: ['agent:qwen'] });
  expect(await advised()).toEqual(['qwen']);
});

test('the page that is kept and the council are told what a reader is', async () => {
  const { here, id, options } = await parked(['opencode']);
  const { engine } = here;
  await escalationKeeper({ engine, readSpool: undefined, log: () => {} }).keep([id]);
  const { escalation = null } = await here.client.find({ text: id, project: null });
  const page = escalationIn((escalation && (await textOf(engine.artifacts, escalation))) ?? '');
  expect(page?.options).toEqual(await options());
  expect(agentsIn(page?.options ?? [])).toEqual(['opencode']);
  await here.client.consult(id, ['oracle'], ada);
  const loaded = await engine.store.loadRun(id);
  const execution = loaded?.aggregate.executions.at(-1)?.id;
  if (execution === undefined) throw new Error('nobody is asked');
  const claim = await here.plane.claim({ execution, holder, nonce: 'n' });
  if (!claim.ok) throw new Error(claim.reason);
  expect(claim.dispatch.prompt).toContain(' --agent opencode');
});
