import { expect, test } from 'vitest';
import { claude, typed } from '../../test/support/scripted-cli.ts';
import type { Instant } from '../ports/words.ts';
import type { WorkerRegistry } from '../ports/worker-registry.ts';
import type { WorkerRequest } from './composition.ts';

const known = {
  ...{ id: 'w-abcd', name: 'box', labels: ['gpu'], slots: 4, busy: 1, state: 'enrolled' as const },
  ...{ enrolledAt: 0 as Instant, seenAt: 0 as Instant },
};
const registry = async (): Promise<WorkerRegistry> => ({
  enroll: async () => ({ code: '7KQ2-9XWD', expiresAt: 900_000 as Instant }),
  list: async () => [known],
  revoke: async (id) => id === known.id,
});

test('a code is shown once, with the line to type on the other machine', async () => {
  const { exit, out } = await typed(['worker', 'enroll'], { worker: { registry } });
  expect(exit).toBe(0);
  expect(out).toContain('7KQ2-9XWD');
  expect(out).toContain('pawl worker --server <address of this server> --code 7KQ2-9XWD');
});

test('only a human at a terminal enrols a worker (DESIGN §11a)', async () => {
  const { exit, err } = await typed(['worker', 'enroll'], {
    worker: { registry },
    principal: claude,
  });
  expect(exit).toBe(2);
  expect(err).toContain('error[human_required]');
});

test('list tells what each worker holds; revoke names what it does not know', async () => {
  const listed = await typed(['worker', 'list'], { worker: { registry } });
  expect(listed.out).toMatch(/w-abcd +box +1 of 4 slots +seen .* +gpu/);
  const json = JSON.parse(
    (await typed(['worker', 'list', '--json'], { worker: { registry } })).out,
  );
  expect(json).toMatchObject({ schema: 'pawl.workers/1', workers: [{ id: 'w-abcd', busy: 1 }] });
  expect((await typed(['worker', 'revoke', 'w-abcd'], { worker: { registry } })).exit).toBe(0);
  const unknown = await typed(['worker', 'revoke', 'w-none'], { worker: { registry } });
  expect(unknown.err).toContain('there is no worker w-none');
});

test('a worker that is gone is told as that, with since when', async () => {
  const gone = { ...known, state: 'gone' as const };
  const worker = { registry: async () => ({ ...(await registry()), list: async () => [gone] }) };
  const { out } = await typed(['worker', 'list'], { worker });
  expect(out).toMatch(/1 of 4 slots +gone since /);
  const json = JSON.parse((await typed(['worker', 'list', '--json'], { worker })).out);
  expect(json.workers[0].state).toBe('gone');
});

test('a name revokes the one that has it; of two it is asked which', async () => {
  const revoked: string[] = [];
  const means = (...workers: (typeof known)[]) => ({
    worker: {
      registry: async () => ({
        ...(await registry()),
        list: async () => workers,
        revoke: async (id: string) => revoked.push(id) > 0,
      }),
    },
  });
  expect((await typed(['worker', 'revoke', 'box'], means(known))).exit).toBe(0);
  const two = await typed(['worker', 'revoke', 'box'], means(known, { ...known, id: 'w-other' }));
  expect(two.err).toContain('2 workers are named box');
  expect(two.err).toContain('w-abcd (enrolled), w-other (enrolled)');
  expect(revoked).toEqual(['w-abcd']);
});

test('what is typed for a worker is what it works with', async () => {
  const asked: WorkerRequest[] = [];
  const work = async (request: WorkerRequest) => {
    asked.push(request);
  };
  const line = ['worker', '--server', 'https://pawl.example:7295/', '--code', 'C', '--slots', '3'];
  await typed([...line, '--label', 'gpu', '--label', 'linux'], { worker: { work } });
  await typed(['worker'], { worker: { work } });
  await typed(['worker', '--no-labels'], { worker: { work } });
  const labels = ['gpu', 'linux'];
  expect(asked).toEqual([
    { servers: ['https://pawl.example:7295'], code: 'C', name: 'here', labels, slots: 3 },
    { servers: [], code: null, name: 'here', labels: null, slots: null },
    { servers: [], code: null, name: 'here', labels: [], slots: null },
  ]);
});

test('several servers of one store may be named, each once and each an address', async () => {
  const asked: WorkerRequest[] = [];
  const work = async (request: WorkerRequest) => {
    asked.push(request);
  };
  const [a, b] = ['https://a.example:7295', 'https://b.example:7295'];
  const line = ['worker', '--server', `${a}/`, '--server', b, '--server', a];
  await typed(line, { worker: { work } });
  expect(asked[0]?.servers).toEqual([a, b]);
  const wrong = await typed([...line, '--server', 'file:///srv'], { worker: { work } });
  expect(wrong.err).toContain('this is no address of a server');
});

test.each([
  [['--server', 'pawl.example'], 'this is no address of a server'],
  [['--server', 'file:///srv'], 'this is no address of a server'],
  [['--code', ''], 'the code is empty'],
  [['--label', 'a', '--no-labels'], 'either --label or --no-labels'],
  [['--slots', '65'], 'at most 64 slots'],
  [['--label', 'two words'], '"two words" is no label or name'],
])('%j is refused: %s', async (flags, said) => {
  const { exit, err } = await typed(['worker', ...flags]);
  expect(exit).toBe(2);
  expect(err).toContain(said);
});

test.each([
  ['worker', 'list'],
  ['worker', 'enroll'],
  ['operator', 'list'],
  ['operator', 'token'],
])('%s %s does not answer for a server that is asked', async (...line) => {
  const asked = await typed(line, { env: { PAWL_SERVER: 'https://pawl.example' } });
  expect(asked.exit).toBe(2);
  expect(asked.err).toContain('error[not_remote] PAWL_SERVER');
});

test('where nothing is found, the store is named that was asked', async () => {
  const storeAdmin = () => ({ status: async () => ({ place: '/home/me/store.db' }) }) as never;
  const none = {
    worker: { registry: async () => ({ ...(await registry()), list: async () => [] }) },
  };
  const workers = await typed(['worker', 'list'], { ...none, storeAdmin });
  expect(workers.out).toBe('no worker is enrolled in /home/me/store.db.\n');
  const tokens = await typed(['operator', 'list'], { storeAdmin });
  expect(tokens.out).toBe('no token is valid in /home/me/store.db.\n');
});
