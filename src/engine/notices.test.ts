/**
 * Goal: a person is told once of what needs him, and what did not reach him is recorded (L-H9).
 * Method: one engine over a store; a notifier that writes down what it was given; a driver that
 * dies is a puller that is never heard of again.
 */
import { expect, test } from 'vitest';
import {
  type Bench,
  bench,
  executed,
  plainDefinition,
  prepared,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import type { NoticeTarget, NotifyPolicy } from '../domain/definition/definition.ts';
import type { RunId } from '../domain/ids.ts';
import type { Delivery, Notice, NoticeCursor, Notifier } from '../ports/notifier.ts';
import type { Position } from '../ports/store.ts';
import { noticePuller } from './notices.ts';

const delivered: Delivery = { state: 'delivered', detail: 'shown' };
const never = new AbortController().signal;

function later<T>() {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value: T) => settle(value) };
}

interface Told {
  readonly notice: Notice;
  readonly target: NoticeTarget;
}
function recorder(answer: (told: Told) => Promise<Delivery> = async () => delivered) {
  const told: Told[] = [];
  const notifier: Notifier = {
    label: ({ kind }) => kind,
    deliver: async (notice, target) => {
      told.push({ notice, target });
      return answer({ notice, target });
    },
  };
  return { told, notifier };
}
function cursorAt(): NoticeCursor & { position(): Position | null } {
  let at: Position | null = null;
  return {
    read: async () => at,
    write: async (next) => {
      at = next;
    },
    position: () => at,
  };
}

const desktop: NotifyPolicy = {
  on: ['needs_operator', 'waiting_human', 'complete', 'limit'],
  to: [{ kind: 'desktop' }],
};

async function started(notify: NotifyPolicy | null = desktop) {
  const here = bench();
  const definition = notify === null ? plainDefinition : { ...plainDefinition, notify };
  const start = { definition, detached: true, resumedFrom: null, from: null };
  const { id } = await here.client.start(start, ada);
  return { ...here, id };
}
async function parked(notify: NotifyPolicy | null = desktop) {
  const here = await started(notify);
  await work(here, here.id, prepared);
  const text = await here.engine.artifacts.put('which one?', 'question');
  await work(here, here.id, { ...executed, outcome: 'question', commit: null, text });
  return here;
}
const noticesOf = async (here: Bench, run: RunId) => {
  const loaded = await here.engine.store.loadRun(run);
  const state = loaded?.aggregate.run;
  return state === undefined || state.status === 'unborn' ? undefined : state.notices;
};
async function pull(here: Bench, notifier: Notifier, cursor: NoticeCursor): Promise<void> {
  const puller = noticePuller(here.engine, { notifier, cursor }, () => undefined);
  puller.turn(never);
  await puller.settled();
}

test('a parked run is told once, however often and by whomever it is looked for', async () => {
  const here = await parked();
  const { told, notifier } = recorder();
  const cursor = cursorAt();
  await pull(here, notifier, cursor);
  await pull(here, notifier, cursor);
  await pull(here, notifier, cursorAt());
  expect(told.length).toBe(1);
  const { short } = await here.client.find({ text: here.id, project: null });
  expect(told[0]?.notice).toMatchObject({
    kind: 'needs_operator',
    title: `${plainDefinition.name} ${short}: needs operator`,
    command: `pawl show ${short}`,
    directory: plainDefinition.project.root,
    run: { short, status: 'needs_operator', reason: 'blocked_by_question' },
  });
  expect(await noticesOf(here, here.id)).toMatchObject({
    pending: [],
    told: [{ to: 'desktop', delivered: 1, notDelivered: 0 }],
  });
  expect(cursor.position()).not.toBeNull();
});

test('two drivers that look at the same moment tell it once, and it is recorded as told', async () => {
  const here = await parked();
  const sent = later<Delivery>();
  const { told, notifier } = recorder(() => sent.promise);
  const both = [1, 2].map(() =>
    noticePuller(here.engine, { notifier, cursor: cursorAt() }, () => undefined),
  );
  for (const puller of both) puller.turn(never);
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
  expect(told).toHaveLength(1);
  sent.resolve(delivered);
  for (const puller of both) await puller.settled();
  expect(told).toHaveLength(1);
  const types = (await here.engine.store.events(here.id, 0, 100)).map(({ event }) => event.type);
  expect(types.filter((type) => type === 'notice.planned')).toHaveLength(1);
});

test('what did not arrive is recorded with its reason (L-H9)', async () => {
  const here = await parked();
  const { notifier } = recorder(async () => ({ state: 'not_delivered', detail: 'no display' }));
  await pull(here, notifier, cursorAt());
  expect((await noticesOf(here, here.id))?.told).toEqual([
    { to: 'desktop', delivered: 0, notDelivered: 1, detail: 'no display' },
  ]);
});

test('a driver that died while it sent is followed by a record, not by a second notice', async () => {
  const here = await parked();
  const reached = later<void>();
  const dying = recorder(() => {
    reached.resolve();
    return new Promise<Delivery>(() => undefined);
  });
  noticePuller(here.engine, { notifier: dying.notifier, cursor: cursorAt() }, () => undefined).turn(
    never,
  );
  await reached.promise;
  const next = recorder();
  await pull(here, next.notifier, cursorAt());
  expect(next.told).toEqual([]);
  expect(await noticesOf(here, here.id)).toMatchObject({
    pending: [],
    told: [{ to: 'desktop', delivered: 0, notDelivered: 1 }],
  });
});

test('nobody is told who did not ask, or not of this', async () => {
  const { told, notifier } = recorder();
  await pull(await parked(null), notifier, cursorAt());
  await pull(await parked({ ...desktop, on: ['complete'] }), notifier, cursorAt());
  expect(told).toEqual([]);
});

test('what no longer holds is not told', async () => {
  const here = await parked();
  await here.client.cancel(here.id, '', ada);
  const { told, notifier } = recorder();
  await pull(here, notifier, cursorAt());
  expect(told).toEqual([]);
});

test('two places of one name are told apart, and one that fails holds up no other', async () => {
  const ntfy = { kind: 'ntfy', token: null } as const;
  const to = [
    { ...ntfy, url: 'https://ntfy.sh/a' },
    { ...ntfy, url: 'https://ntfy.sh/b' },
  ];
  const here = await parked({ ...desktop, to });
  const { notifier } = recorder(async ({ target }) =>
    'url' in target && target.url.endsWith('a')
      ? { state: 'not_delivered', detail: 'HTTP 500' }
      : delivered,
  );
  await pull(here, notifier, cursorAt());
  expect((await noticesOf(here, here.id))?.told).toEqual(
    expect.arrayContaining([
      { to: 'ntfy', delivered: 0, notDelivered: 1, detail: 'HTTP 500' },
      { to: 'ntfy (2)', delivered: 1, notDelivered: 0, detail: '' },
    ]),
  );
});

test('a look that still sends is not begun again, and does not hold up who asks', async () => {
  const here = await parked();
  const answer = later<Delivery>();
  const reached = later<void>();
  const { told, notifier } = recorder(() => {
    reached.resolve();
    return answer.promise;
  });
  const puller = noticePuller(here.engine, { notifier, cursor: cursorAt() }, () => undefined);
  puller.turn(never);
  await reached.promise;
  puller.turn(never);
  answer.resolve(delivered);
  await puller.settled();
  expect(told.length).toBe(1);
});
