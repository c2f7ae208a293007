/**
 * Goal: one process runs the machine's checks within its slots, hands in one result each, and
 * leaves nothing claimed that it does not work on.
 * Method: a scripted store of rows and a scripted verifier; real time, small spans.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { ExecutionRole, Holder } from '../domain/execution/state.ts';
import type { Commit, Digest, GrantId } from '../domain/ids.ts';
import { WorldError } from '../kernel/errors.ts';
import type { CheckRequest } from '../ports/checks.ts';
import type { Dispatch, Plane } from '../ports/plane.ts';
import type { ExecutionRow, HeartbeatAnswer, SeatRow } from '../ports/store.ts';
import { type CheckHostOptions, checkHost } from './check-host.ts';
import { nodeClock } from './clock.ts';
import { selfHolder } from './identity.ts';
import { nodeIds } from './ids.ts';

/** Real processes on a busy machine: a bound, not an expectation. */
vi.setConfig({ testTimeout: 60_000 });

const root = mkdtempSync(join(tmpdir(), 'pawl-check-host-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const dead: Holder = { ...selfHolder('here'), started: 1 };

interface Script {
  readonly rows: readonly { readonly id: string; readonly role: ExecutionRole }[];
  readonly check?: (request: CheckRequest) => Promise<void>;
  readonly beats?: () => HeartbeatAnswer;
  readonly seat?: Holder;
  readonly signal?: AbortSignal;
  readonly dispatch?: object;
  readonly options?: Partial<CheckHostOptions>;
}

async function run(script: Script) {
  const told: string[] = [];
  const requests: CheckRequest[] = [];
  const seats: string[] = [];
  let open = script.rows.map((row) => row as unknown as ExecutionRow);
  const answer = (execution: string) => {
    open = open.filter(({ id }) => id !== execution);
    return { ok: true } as const;
  };
  const plane: Plane = {
    claim: async ({ execution }) => {
      const row = open.find(({ id }) => id === execution);
      if (row === undefined) return { ok: false, reason: 'execution.taken' };
      told.push(`claim ${execution}`);
      const dispatch = dispatchOf(row, script.dispatch ?? {});
      return { ok: true, grantId: 'g' as GrantId, fence: 1, ttlMs: 90, dispatch };
    },
    start: async () => ({ ok: true }),
    heartbeat: async () => script.beats?.() ?? { ok: true, cancel: false, pause: false },
    ask: async () => ({ ok: false, reason: 'execution.not_open' }),
    checkpoint: async () => ({ ok: true }),
    result: async ({ execution, result }) => {
      told.push(`result ${execution} ${result.kind === 'failed' ? result.class : result.kind}`);
      return answer(execution);
    },
    cancelAck: async ({ execution, proof }) => {
      told.push(`cancel-ack ${execution} ${proof}`);
      return answer(execution);
    },
  };
  const held = (holder: Holder) => ({ seat: 'checks', holder }) as SeatRow;
  const check = async (request: CheckRequest) => {
    requests.push(request);
    await script.check?.(request);
  };
  const { why } = await checkHost({
    plane,
    store: {
      dispatchable: async () => open,
      takeSeat: async (_seat, takeOver) => {
        const other = script.seat;
        const ours = other === undefined || takeOver !== null;
        seats.push(ours ? 'taken' : 'held');
        return { ours, row: other === undefined ? null : held(other) };
      },
      beatSeat: async () => true,
      leaveSeat: async () => void seats.push('left'),
    },
    checks: {
      baseline: async (request) => {
        await check(request);
        return { kind: 'prepared' } as never;
      },
      verify: async (request) => {
        await check(request);
        return { outcome: 'passed', summary: '', criteria: [] } as never;
      },
      attest: async () => 'sha256:0' as Digest,
      attestFiles: () => Promise.reject(new Error('none are attested here')),
      attestedFiles: async () => null,
      furnish: async () => ({ how: 'none', ok: true, detail: '' }),
    },
    workspace: {
      openTree: async () => ({ directory: '/lane/tree' }) as never,
      putBack: async (_tree, { commit }) => ({ commit, restored: [] }),
    },
    artifacts: { put: async () => 'sha256:0' as Digest, get: async () => null },
    clock: nodeClock(),
    ids: nodeIds(),
    processes: {
      self: selfHolder,
      lives: (holder) => holder.started !== 1,
    },
    worker: 'here',
    version: '0',
    slots: 2,
    checkRecords: join(root, 'records'),
    ensureDriver: async () => {},
    spans: { pollMs: 5, beatMs: 20, lingerMs: 60 },
    ...script.options,
  }).run(script.signal ?? new AbortController().signal);
  return { why, told, requests, seats };
}

function dispatchOf(row: ExecutionRow, more: object): Dispatch {
  const definition = {
    project: { root: '/project' },
    source: { isolation: 'worktree', base: 'base' as Commit },
    workspace: { submodules: 'off', copy: [] },
    verifyTree: 'clean',
    ...more,
  };
  const job = { role: row.role, attempt: 1, commit: 'abc' as Commit };
  const dispatch = { run: 'test', runName: 'n', execution: row.id, job, definition };
  return { ...dispatch, criteria: [0, 1], restore: false } as unknown as Dispatch;
}

const row = (id: string, role: ExecutionRole) => ({ id, role, job: { role } });

test('of an earlier pawl than the store it ends what it runs and leaves, without a word', async () => {
  const newer = new WorldError('store_newer', 'the store has format 3, this pawl knows 2');
  const refuse = () => Promise.reject(newer);
  const row1 = row('a.1', 'prepare');
  const { why, told } = await run({
    rows: [row1],
    check: ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    options: {
      store: {
        dispatchable: async () => [row1 as unknown as ExecutionRow],
        takeSeat: async () => ({ ours: true, row: null }),
        beatSeat: refuse,
        leaveSeat: refuse,
      },
    },
  });
  expect(why).toBe('too_old');
  expect(told).toEqual(['claim a.1']);
});

test('pulls prepare and verify, leaves lanes to their hosts, and goes when nothing is left', async () => {
  const { why, told, seats, requests } = await run({
    rows: [row('a.1', 'prepare'), row('b.2', 'execute'), row('c.3', 'verify'), row('d.4', 'judge')],
  });
  expect(why).toBe('idle');
  expect(told.toSorted()).toEqual([
    'claim a.1',
    'claim c.3',
    'result a.1 prepared',
    'result c.3 verified',
  ]);
  expect(seats).toEqual(['taken', 'left']);
  expect(requests.map(({ commit, directory }) => [commit, directory])).toEqual([
    ['base', null],
    ['abc', null],
  ]);
});

test('never runs more checks at once than it has slots', async () => {
  let now = 0;
  let most = 0;
  const clock = nodeClock();
  const check = async () => {
    now += 1;
    most = Math.max(most, now);
    await clock.sleep(20);
    now -= 1;
  };
  const rows = ['a.1', 'b.1', 'c.1', 'd.1', 'e.1'].map((id) => row(id, 'verify'));
  const { told } = await run({ rows, check });
  expect(told.filter((line) => line.startsWith('result'))).toHaveLength(5);
  expect(most).toBe(2);
});

test('a seat whose holder lives is left alone; a dead one is taken over', async () => {
  const rows = [row('a.1', 'verify')];
  const living = await run({ rows, seat: selfHolder('other') });
  expect([living.why, living.told]).toEqual(['seat_taken', []]);
  const left = await run({ rows, seat: dead });
  expect(left.seats).toEqual(['held', 'taken', 'left']);
  expect(left.told).toContain('result a.1 verified');
});

test('a cancel stops the check and is acknowledged, with no result', async () => {
  const { told } = await run({
    rows: [row('a.1', 'verify')],
    beats: () => ({ ok: true, cancel: true, pause: false }),
    check: ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  });
  expect(told).toEqual(['claim a.1', 'cancel-ack a.1 marker+tree']);
});

test('a check whose processes could not be proven ended is acknowledged as that', async () => {
  const records = join(root, 'unproven');
  mkdirSync(join(records, 'a.1-77-1'), { recursive: true });
  const { told } = await run({
    rows: [row('a.1', 'verify')],
    beats: () => ({ ok: true, cancel: true, pause: false }),
    check: ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    options: { checkRecords: records },
  });
  expect(told).toEqual(['claim a.1', 'cancel-ack a.1 unproven']);
});

test('a fault of ours fails the execution and spends nothing of the run', async () => {
  const check = async () => {
    throw new Error('disk full');
  };
  const { told } = await run({ rows: [row('a.1', 'verify')], check });
  expect(told).toEqual(['claim a.1', 'result a.1 lane_died']);
});

test.each([
  ['source_unavailable', 'source_unavailable'],
  ['credential_missing', 'auth_required'],
  ['internal_error', 'lane_died'],
] as const)(
  'what a worker lacks, %s, is told as that and not as a host that died',
  async (code, as) => {
    const bring = async () => {
      throw new WorldError(code, 'not had');
    };
    const remote = { bring, credentials: async () => ({}) };
    const { told } = await run({ rows: [row('a.1', 'prepare')], options: { remote } });
    expect(told).toContain(`result a.1 ${as}`);
  },
);

test('asked to leave, it stops what runs and leaves its lease to the sweep', async () => {
  const asked = new AbortController();
  const { why, told } = await run({
    rows: [row('a.1', 'verify')],
    signal: asked.signal,
    check: ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        asked.abort();
      }),
  });
  expect(why).toBe('asked');
  expect(told).toEqual(['claim a.1']);
});

test('where the lane’s own tree is checked, the check is told where it lies', async () => {
  const rows = [row('a.1', 'prepare'), row('b.1', 'verify')];
  const lane = await run({ rows, dispatch: { verifyTree: 'lane' } });
  expect(lane.requests.map(({ directory }) => directory)).toEqual([null, '/lane/tree']);
  const none = await run({ rows, dispatch: { source: { isolation: 'none', base: null } } });
  expect(none.requests.map(({ directory }) => directory)).toEqual(['/project', '/project']);
});
