/**
 * Goal: with `verify.on: other-worker` another machine than the maker's verifies, the receipt says
 * which, and where there is no other one the run does not wait for ever.
 * Method: the built program as real processes, a server and two workers, each with a state folder
 * of its own; the server does nothing by itself.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { project } from '../support/answer-project.ts';
import { type Pawl, pawl, type Started } from '../support/pawl.ts';
import { type Served, serve } from '../support/served.ts';

let own: Pawl;
let server: Served;
let work: ReturnType<typeof project>;
const workers: { readonly at: Pawl; readonly started: Started }[] = [];

async function enrol(name: string): Promise<void> {
  const enrolled = await own.onTerminal(['worker', 'enroll', '--json']);
  const { code } = enrolled.json() as { readonly code: string };
  const at = pawl();
  const line = ['worker', '--server', server.url, '--code', code, '--name', name];
  const started = at.start(line, { timeoutMs: 300_000 });
  workers.push({ at, started });
  await started.seen(/slots/);
}

const typed = (line: readonly string[]) =>
  own.run(line, { cwd: work.directory, env: { PAWL_SERVER: server.url } });

async function attestations(name: string): Promise<string[]> {
  const { stdout } = await typed(['show', name, '--events', '--json']);
  return [...stdout.matchAll(/"attestation":"(sha256:[0-9a-f]{64})"/g)].flatMap(
    ([, digest]) => digest ?? [],
  );
}

/** The workers that held its turns, and those that held its verifications, in order. */
async function heldBy(name: string): Promise<[made: string[], judged: string[]]> {
  const { stdout } = await typed(['show', name, '--events', '--json']);
  const events = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { readonly type: string; readonly data: Told });
  const of = (role: string) => {
    const ids = events.flatMap(({ data }) => (data.job?.role === role ? [data.id] : []));
    return events.flatMap(({ data: { id, grant } }) =>
      grant !== undefined && ids.includes(id) ? [grant.holder.worker] : [],
    );
  };
  return [of('execute'), of('verify')];
}
interface Told {
  readonly id?: string;
  readonly job?: { readonly role: string };
  readonly grant?: { readonly holder: { readonly worker: string } };
}

beforeAll(async () => {
  own = pawl();
  work = project(own.root);
  server = await serve(own, ['--elsewhere']);
  await enrol('maker');
}, 120_000);

afterAll(async () => {
  for (const { started } of workers) started.child.kill('SIGTERM');
  for (const { started } of workers) await started.finished;
  server.started.child.kill('SIGTERM');
  await server.started.finished;
  for (const { at } of workers) await at.close();
  await own.close();
}, 60_000);

test('another worker verifies and its receipt names it; without one the wait has an end (XP-26, XP-37, ruling 4)', async () => {
  const text = (waitTime: string) =>
    `version: 1\nverify: { on: other-worker }\nbrakes: { waitTime: ${waitTime} }\n`;
  writeFileSync(join(work.directory, 'pawl.yaml'), text('1s'));
  const alone = await typed([...work.run, '--name', 'alone']);
  expect(alone.exit, alone.stdout + alone.stderr).toBe(3);
  expect(alone.stdout).toContain('which made the work');
  writeFileSync(join(work.directory, 'pawl.yaml'), text('5m'));
  await enrol('checker');
  const ran = await typed([...work.run, '--name', 'two']);
  expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  const [made, judged] = await heldBy('two');
  expect([made.length, judged.length]).toEqual([2, 2]);
  for (const [index, maker] of made.entries()) expect(judged[index]).not.toBe(maker);
  const receipt = await own.run(['show', 'two', '--receipt', '--json'], { cwd: work.directory });
  const file = join(own.root, 'receipt.json');
  writeFileSync(file, receipt.stdout);
  const { payload } = JSON.parse(receipt.stdout) as { readonly payload: string };
  const { predicate } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8')) as {
    readonly predicate: { readonly verifier: { readonly worker?: string } };
  };
  expect(predicate.verifier.worker).toBe(judged.at(-1));
  const verified = await own.run(['artifact', 'verify', file], { cwd: work.directory });
  expect([verified.exit, verified.stderr], verified.stdout).toEqual([0, '']);
  expect(verified.stdout).toContain(`done on ${predicate.verifier.worker}`);
  expect(ran.stdout).toContain(`verifier: runtime on worker ${predicate.verifier.worker};`);
  // Each seal of it is stated by the worker that made it; whoever likes can check that.
  const attested = await attestations('two');
  expect(attested.length).toBeGreaterThanOrEqual(5);
  const [digest = ''] = attested;
  const seal = join(own.root, 'seal.json');
  const got = await typed(['artifact', 'get', digest, '--out', seal]);
  expect(got.exit, got.stderr).toBe(0);
  const checked = await own.run(['artifact', 'verify', seal], { cwd: work.directory });
  expect([checked.exit, checked.stderr], checked.stdout).toEqual([0, '']);
  expect(checked.stdout).toMatch(/seal +sha256:.*\n.*result[\s\S]*done on w/);
  writeFileSync(
    seal,
    JSON.stringify({ ...JSON.parse(readFileSync(seal, 'utf8')), payload: 'e30=' }),
  );
  expect((await own.run(['artifact', 'verify', seal], { cwd: work.directory })).exit).toBe(1);
}, 180_000);
