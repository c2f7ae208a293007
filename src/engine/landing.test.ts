/** Goal: the merged result is judged unless a human says that it is not to be, and that is kept. */
import { expect, test } from 'vitest';
import { digest, exampleDefinition, exampleView } from '../../test/support/example-run.ts';
import { WorldError } from '../kernel/errors.ts';
import type { Client } from '../ports/client.ts';
import type { LandRequest, ProposeRequest } from '../ports/workspace.ts';
import { type LandingOptions, landing } from './landing.ts';

const view = exampleView({
  status: 'complete',
  phase: null,
  verification: 'passed',
  receipt: digest('d'),
});
const human = { kind: 'human', actor: 'me' } as never;

function receiptOf(work: object | null): string {
  const statement = JSON.stringify({ predicate: { work } });
  return JSON.stringify({ payload: Buffer.from(statement).toString('base64') });
}

/** A landing that always succeeds, and what was asked of it. */
function bench(
  judged: string = view.head ?? '',
  receipt: string | Error | null = receiptOf({ commit: judged }),
) {
  const asked: LandRequest[] = [];
  const told: unknown[] = [];
  const proposed: ProposeRequest[] = [];
  const options = {
    client: { find: async () => view, definition: async () => exampleDefinition() },
    tell: async (_run: unknown, _who: unknown, command: unknown) => told.push(command),
    edge: { human: async () => undefined },
    checks: async () => ({}),
    receipt: async () => {
      if (receipt instanceof Error) throw receipt;
      return receipt;
    },
    workspace: async () => ({
      sameTree: async (_root: string, a: string, b: string) => a === b,
      land: async (request: LandRequest) => {
        asked.push(request);
        const reverified = request.verify !== null && request.always === true;
        return { ok: true, commit: 'c', into: 'main', method: 'squash', reverified, moved: 0 };
      },
      remote: async () => ({ name: 'origin', url: 'u' }),
      propose: async (request: ProposeRequest) => {
        proposed.push(request);
        return { remote: 'origin', url: 'https://x/3', command: 'gh', why: null };
      },
    }),
  };
  const { land }: Pick<Client, 'land'> = landing(options as unknown as LandingOptions);
  return { land, asked, told, proposed };
}
const squash = { into: null, method: 'squash', message: null } as const;

test('the runtime’s checks judge what would be landed, moved or not', async () => {
  const { land, asked, told } = bench();
  expect(await land(view.id, { ...squash, reverify: true }, human)).toMatchObject({ ok: true });
  expect(asked[0]).toMatchObject({ always: true, verify: expect.any(Function) });
  expect(told).toMatchObject([{ type: 'record_landing', reverified: true }]);
});

test('--no-reverify asks no check at all, also where the target has moved, and is recorded', async () => {
  const { land, asked, told } = bench();
  await land(view.id, { ...squash, reverify: false }, human);
  expect(asked[0]?.verify).toBeNull();
  expect(told).toMatchObject([{ type: 'record_landing', reverified: false }]);
});

test('another tree than the one on the receipt lands in no way (R9)', async () => {
  for (const method of ['squash', 'ff', 'pr'] as const) {
    const { land, asked, told } = bench('f'.repeat(40));
    const landing = land(view.id, { ...squash, method, reverify: false }, human);
    await expect(landing).rejects.toMatchObject({
      code: 'land_refused',
      message: expect.stringContaining('would land what was not verified'),
    });
    expect([asked, told]).toEqual([[], []]);
  }
});

test.each([
  ['no JSON', '{"payl'],
  ['no envelope', '{"verdict":"passed"}'],
  ['a payload of noise', '{"payload":"AAAA"}'],
  ['a statement without work', JSON.stringify({ payload: btoa('{"predicate":{}}') })],
])('a receipt that is %s vouches for nothing: it is refused, with the way out', async (_, text) => {
  const { land, asked } = bench('', text);
  await expect(land(view.id, { ...squash, reverify: true }, human)).rejects.toMatchObject({
    code: 'land_refused',
    message: expect.stringContaining('cannot be read'),
  });
  expect(asked).toEqual([]);
});

test.each([
  ['damaged', new WorldError('artifact_damaged', 'other bytes')],
  ['missing', null],
])('a receipt that is %s vouches for nothing: nothing is moved', async (how, receipt) => {
  const { land, asked, told } = bench('', receipt);
  for (const method of ['squash', 'pr'] as const) {
    const landing = land(view.id, { ...squash, method, reverify: false }, human);
    await expect(landing).rejects.toMatchObject({
      code: 'land_refused',
      message: expect.stringContaining(`is ${how}`),
      details: { next: `pawl retry ${view.short} --from last` },
    });
  }
  expect([asked, told]).toEqual([[], []]);
});

test('a pull request is judged like a landing, moves nothing here, and is recorded', async () => {
  const { land, asked, told, proposed } = bench();
  const request = { into: null, method: 'pr', message: null, reverify: true } as const;
  expect(await land(view.id, request, human)).toMatchObject({ ok: true, method: 'pr' });
  expect(asked[0]).toMatchObject({ judgeOnly: true, verify: expect.any(Function) });
  expect(proposed[0]).toMatchObject({ branch: view.branch, into: 'main', title: view.goal });
  expect(proposed[0]?.body).toContain('{"payload":"');
  expect(proposed[0]?.body).toContain('Checks: `npm run lint`, `npm test`');
  expect(told).toMatchObject([
    { type: 'record_landing', method: 'pr', reverified: true, url: 'https://x/3' },
  ]);
});
