/** Goal: the merged result is judged unless a human says that it is not to be, and that is kept. */
import { expect, test } from 'vitest';
import { exampleDefinition, exampleView } from '../../test/support/example-run.ts';
import type { Client } from '../ports/client.ts';
import type { LandRequest } from '../ports/workspace.ts';
import { type LandingOptions, landing } from './landing.ts';

const view = exampleView({ status: 'complete', phase: null, verification: 'passed' });
const human = { kind: 'human', actor: 'me' } as never;

/** A landing that always succeeds, and what was asked of it. */
function bench() {
  const asked: LandRequest[] = [];
  const told: unknown[] = [];
  const options = {
    client: { find: async () => view, definition: async () => exampleDefinition() },
    tell: async (_run: unknown, _who: unknown, command: unknown) => told.push(command),
    edge: { human: async () => undefined },
    checks: async () => ({}),
    workspace: async () => ({
      land: async (request: LandRequest) => {
        asked.push(request);
        const reverified = request.verify !== null && request.always === true;
        return { ok: true, commit: 'c', into: 'main', method: 'squash', reverified, moved: 0 };
      },
    }),
  };
  const { land }: Pick<Client, 'land'> = landing(options as unknown as LandingOptions);
  return { land, asked, told };
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
