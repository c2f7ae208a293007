/** Goal: who trusts nobody can check a receipt with two files, and its owner is told which. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Pawl, pawl } from '../support/pawl.ts';
import { r0Plain } from '../support/repositories.ts';

let it: Pawl;
beforeEach(() => {
  it = pawl();
});
afterEach(() => it.close());

test('a stranger checks a receipt with the two files that its owner is told of', async () => {
  const { root } = r0Plain(it.root);
  const agent = 'sh -c \'echo "export const add = (a, b) => a + b;" > src/add.mjs\'';
  const args = ['run', 'add', '--check', 'node --test', '--agent-cmd', agent, '-n', '1', '--json'];
  const { short } = (await it.run(args, { cwd: root })).json();
  const shown = await it.run(['show', String(short), '--receipt', '--json'], { cwd: root });
  const [receipt, key] = [join(it.root, 'r.json'), join(it.home, 'keys/receipts.pub.pem')];
  writeFileSync(receipt, shown.stdout);
  const own = await it.run(['artifact', 'verify', receipt], { cwd: root });
  expect(own).toMatchObject({ exit: 0 });
  expect(own.stdout).toContain(`a stranger needs ${receipt} and ${key}`);
  expect(own.stdout).toContain('pawl artifact verify r.json --key receipts.pub.pem --rerun');
  const stranger = { cwd: root, env: { PAWL_HOME: join(it.root, 'stranger') } };
  const theirs = await it.run(['artifact', 'verify', receipt, '--key', key, '--rerun'], stranger);
  expect(theirs).toMatchObject({ exit: 0 });
  expect(theirs.stdout).not.toContain('a stranger needs');
  const lost = await it.run(['artifact', 'verify', receipt, '--key', 'nowhere.pem'], stranger);
  expect(lost.stderr).toContain('names its public key');
});
