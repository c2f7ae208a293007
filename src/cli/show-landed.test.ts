/** A landed run says where its work lies and whether that was verified there. */
import { expect, test } from 'vitest';
import { at, commit, exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import { WorldError } from '../kernel/errors.ts';
import type { Digest } from '../ports/words.ts';

function landed(method: string, reverified: boolean) {
  const landing = { commit: commit('9'), into: 'main' } as const;
  const change = { phase: null, verification: 'passed', execution: null, receipt: null } as const;
  const client = scriptedClient([
    exampleView({ ...change, base: null, head: null, status: 'complete', landed: landing }),
  ]);
  client.emit(90, { type: 'run.landed', at: at(90), ...landing, method, reverified, by: 'ada' });
  return client;
}

test.each([
  [true, 'verified again there'],
  [false, 'not verified again there'],
])('with verification again %s, the page and its JSON say so', async (reverified, words) => {
  const { out } = await typed(['show', '7k2m'], { client: landed('squash', reverified) });
  const row = /landed {2,}on main as 9999999, squash,[^;]*by\s+ada;\s+(.*)/.exec(
    out.replace(/\n {10,}/g, ' '),
  );
  expect(row?.[1]).toBe(words);
  const json = await typed(['show', '7k2m', '--json'], { client: landed('squash', reverified) });
  expect(JSON.parse(json.out).landed).toMatchObject({
    ...{ commit: commit('9'), into: 'main', method: 'squash', reverified, by: 'ada' },
  });
});

test('what was only proposed has not landed', async () => {
  const { out } = await typed(['show', '7k2m'], { client: landed('pr', false) });
  expect(out).toContain('complete');
  expect(out).not.toContain('verified again');
});

const damage = new WorldError('artifact_damaged', 'the stored bytes are others');
test.each([
  ['damaged', 'damaged: the stored bytes are not those of', () => Promise.reject(damage)],
  ['missing', 'missing: the bytes of', () => Promise.resolve(null)],
] as const)(
  'a receipt that is %s is said in place of what it vouched for',
  async (how, says, read) => {
    const damaged = `sha256:${'d'.repeat(64)}` as Digest;
    const view = { phase: null, verification: 'passed', execution: null } as const;
    const whole = scriptedClient([
      exampleView({ ...view, status: 'complete', receipt: damaged, receiptDamaged: true }),
    ]);
    const client = { ...whole, artifact: read };
    const { exit, out } = await typed(['show', '7k2m'], { client });
    expect(exit).toBe(0);
    expect(out).toContain('complete');
    expect(out.replace(/\s+/g, ' ')).toContain(`receipt ${says}`);
    expect(out).not.toMatch(/signed|agent had no part|pawl land/);
    const json = await typed(['show', '7k2m', '--json'], { client });
    expect(JSON.parse(json.out).receiptDamage).toContain(damaged);
    const receipt = await typed(['show', '7k2m', '--receipt'], { client });
    expect(receipt.err).toContain(`error[artifact_${how}]`);
    expect(receipt.err).not.toContain('pruned');
  },
);
