import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { check, definitionWith, verifier } from '../../test/support/verifier.ts';
import type { ApprovalId, Commit, Digest, Instant, RunId } from '../domain/ids.ts';
import type { Attestation } from '../ports/checks.ts';
import { headSeal, openHead } from './heads.ts';
import { preAuthenticationEncoding } from './receipt/dsse.ts';
import { verifyReceipt } from './receipt.ts';
import { diskSigner, memorySigner, publicKeyPath } from './signer.ts';

vi.setConfig({ testTimeout: 60_000 });

let v: ReturnType<typeof verifier>;
beforeEach(() => {
  v = verifier();
});
afterEach(() => v.remove());

const nothing = { repository: null, rerun: null };

async function receipt(command = 'test -e b') {
  const base = v.commit({ a: '1', 'golden/x': '1' });
  const work = v.commit({ b: '1' });
  const definition = definitionWith(v.root, base, {
    criteria: [check(command)],
    protected: ['golden/**'],
  });
  const verdict = await v.checks.verify(v.request(definition, work));
  return { text: await v.read(verdict.receipt), verdict };
}

test('a stranger checks a receipt with the repository, the key and the check itself (XP-17)', async () => {
  const { text } = await receipt();
  const stranger = verifier();
  try {
    const report = await verifyReceipt(text, v.signer.publicKeyPem, {
      repository: { root: v.root, trees: stranger.options.trees },
      rerun: {
        checks: stranger.checks,
        signal: new AbortController().signal,
        progress: () => {},
      },
    });
    expect(report.ok).toBe(true);
    expect(report.findings.map((one) => [one.check, one.result])).toEqual([
      ['signature', 'ok'],
      ['verdict', 'ok'],
      ['tree', 'ok'],
      ['tree', 'ok'],
      ['protected', 'ok'],
      ['rerun', 'ok'],
    ]);
  } finally {
    stranger.remove();
  }
});

test('a repetition that was asked for and could not be made is not done', async () => {
  const { text } = await receipt();
  const rerun = { checks: v.checks, signal: new AbortController().signal, progress: () => {} };
  const report = await verifyReceipt(text, v.signer.publicKeyPem, { repository: null, rerun });
  expect(report.ok).toBe(false);
  expect(report.findings.at(-1)).toEqual({
    check: 'rerun',
    result: 'unchecked',
    detail: 'not run again: no repository was given',
  });
  expect((await verifyReceipt(text, v.signer.publicKeyPem, nothing)).ok).toBe(true);
});

test('a human’s look is signed, with what the checks said of the same commit before', async () => {
  const checked = await receipt();
  const { commit } = checked.verdict;
  const asked = {
    run: 'run000000000' as RunId,
    approval: 'run000000000.a1' as ApprovalId,
    definition: definitionWith(v.root, v.git('rev-parse', 'HEAD~1') as Commit, { criteria: [] }),
    commit,
    criterion: 1,
    look: 'is the page right?',
    outcome: 'passed',
    note: 'looks good',
    by: 'ada',
    channel: 'terminal',
  } as const;
  const open = async (previous: Digest | null, look: Partial<Attestation> = {}) => {
    const digest = await v.checks.attest({ ...asked, previous, ...look });
    return verifyReceipt(await v.read(digest), v.signer.publicKeyPem, {
      repository: { root: v.root, trees: v.options.trees },
      rerun: { checks: v.checks, signal: new AbortController().signal, progress: () => {} },
    });
  };
  const both = await open(checked.verdict.receipt);
  expect(both.ok).toBe(true);
  expect(both.predicate?.criteria.map(({ kind }) => kind)).toEqual(['test', 'manual']);
  expect(both.findings.at(-1)).toMatchObject({ check: 'rerun', result: 'ok' });
  const alone = await open(null);
  expect(alone.findings.filter(({ result }) => result === 'bad')).toEqual([]);
  expect(alone.findings.at(-1)).toMatchObject({ check: 'rerun', result: 'unchecked' });
  expect(alone.predicate).toMatchObject({
    work: { commit },
    summary: 'approved by ada (terminal): looks good',
    verifier: { identity: 'human' },
    criteria: [{ outcome: 'passed', human: { actor: 'ada', channel: 'terminal' } }],
  });
  const refused = await open(null, { outcome: 'failed' });
  expect(refused.predicate).toMatchObject({ outcome: 'failed' });
});

test('a repetition that says something else is bad', async () => {
  const { text } = await receipt(`test -e ${v.folder}/mark`);
  writeFileSync(join(v.folder, 'mark'), '');
  const report = await verifyReceipt(text, v.signer.publicKeyPem, {
    repository: { root: v.root, trees: v.options.trees },
    rerun: { checks: v.checks, signal: new AbortController().signal, progress: () => {} },
  });
  expect(report.ok).toBe(false);
  expect(report.findings.at(-1)).toMatchObject({ check: 'rerun', result: 'bad' });
});

test('another key, a changed byte, another type and a bare log are not evidence (XP-18)', async () => {
  const { text } = await receipt();
  const pem = v.signer.publicKeyPem;
  const of = async (file: string, key = pem) => {
    const report = await verifyReceipt(file, key, nothing);
    expect(report.predicate === null).toBe(!report.ok);
    return report.findings[0]?.result === 'bad' ? report.findings[0].check : 'none';
  };
  expect(await of(text)).toBe('none');
  expect(await of(text, memorySigner().publicKeyPem)).toBe('signature');
  expect(await of(text, 'no key')).toBe('signature');
  const envelope = JSON.parse(text);
  const payload = Buffer.from(envelope.payload, 'base64').toString('utf8');
  const changed = Buffer.from(payload.replace('"passed"', '"failed"')).toString('base64');
  expect(await of(JSON.stringify({ ...envelope, payload: changed }))).toBe('signature');
  expect(await of(JSON.stringify({ ...envelope, payloadType: 'text/plain' }))).toBe('form');
  expect(await of('12 passed, all good')).toBe('form');
  expect(await of('null')).toBe('form');
});

test('a receipt of a commit that the repository does not have, or has otherwise, is bad', async () => {
  const { text } = await receipt();
  const stranger = verifier();
  try {
    stranger.commit({ a: '1' });
    const report = await verifyReceipt(text, v.signer.publicKeyPem, {
      repository: { root: stranger.root, trees: stranger.options.trees },
      rerun: null,
    });
    expect(report.ok).toBe(false);
    expect(report.findings.some((one) => one.check === 'commit' && one.result === 'bad')).toBe(
      true,
    );
  } finally {
    stranger.remove();
  }
});

test('the key is made once, 0600, and found again; a damaged one is refused, not replaced', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-key-'));
  try {
    const [one, two] = [diskSigner({ directory }), diskSigner({ directory })];
    expect(two.keyId).toBe(one.keyId);
    const file = join(directory, 'receipts.key.pem');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // The public half lies beside it, and is the half of this key whatever was put there.
    const half = publicKeyPath(directory);
    expect(readFileSync(half, 'utf8')).toBe(one.publicKeyPem);
    writeFileSync(half, memorySigner().publicKeyPem);
    diskSigner({ directory });
    expect(readFileSync(half, 'utf8')).toBe(one.publicKeyPem);
    writeFileSync(file, 'damaged');
    expect(() => diskSigner({ directory })).toThrow('damaged');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('what is signed is type and body together (PAE)', () => {
  expect(
    preAuthenticationEncoding('http://example.com/HelloWorld', Buffer.from('hello world')),
  ).toEqual(Buffer.from('DSSEv1 29 http://example.com/HelloWorld 11 hello world'));
});

test('a signed head opens with its key alone, and is no receipt', async () => {
  const signer = memorySigner();
  const head = { stream: 'abc', version: 7, digest: 'f00d', at: 1_700_000_000_000 as Instant };
  const text = headSeal(signer).sign(head);
  expect(openHead(text, signer.publicKeyPem)).toEqual(head);
  expect(openHead(text, memorySigner().publicKeyPem)).toBeNull();
  expect(headSeal(memorySigner()).open(text)).toBeNull();
  const another = headSeal(memorySigner(), [memorySigner().publicKeyPem, signer.publicKeyPem]);
  expect(another.open(text), 'of another server of the database').toEqual(head);
  expect(openHead('nonsense', signer.publicKeyPem)).toBeNull();
  expect((await verifyReceipt(text, signer.publicKeyPem, nothing)).ok).toBe(false);
});
