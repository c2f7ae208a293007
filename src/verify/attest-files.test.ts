import { afterEach, beforeEach, expect, test } from 'vitest';
import { definitionWith, verifier } from '../../test/support/verifier.ts';
import type { Commit, Digest, ExecutionId, RunId } from '../domain/ids.ts';
import { attestedFiles, attestFiles } from './attest-files.ts';
import { openEnvelope } from './receipt/dsse.ts';

let v: ReturnType<typeof verifier>;
beforeEach(() => {
  v = verifier();
});
afterEach(() => v.remove());

const left = {
  files: [{ path: 'shots/a.png', sha256: 'a'.repeat(64), bytes: 7 }],
  refused: [{ path: 'b.png', why: 'it is a link' }],
  missing: ['*.svg'],
};

test('who made which files, beside which commit and when, is signed and read back (XP-17, EV-67)', async () => {
  const commit = v.commit({ a: '1' });
  const statement = await attestFiles(v.options, {
    run: 'run000000000' as RunId,
    execution: 'run000000000.2' as ExecutionId,
    attempt: 3,
    definition: definitionWith(v.root, commit, {}),
    commit,
    left,
  });
  const envelope = JSON.parse(await v.read(statement));
  const payload = JSON.parse(openEnvelope(envelope, v.signer.publicKeyPem) ?? 'null');
  expect(payload).toMatchObject({
    subject: [{ name: 'shots/a.png', digest: { sha256: 'a'.repeat(64) } }],
    predicateType: 'https://pawl.dev/artifacts/v1',
    predicate: { producer: 'fixer@command', attempt: 3, commit, execution: 'run000000000.2' },
  });
  expect(await attestedFiles(v.options, statement)).toEqual(left);
});

test('what another key signed, what is something else and what is gone is no attestation', async () => {
  const asked = {
    ...{ run: 'r' as RunId, execution: 'r.1' as ExecutionId, attempt: 1, left },
    definition: definitionWith(v.root, 'a'.repeat(40) as Commit, {}),
    commit: null,
  };
  const statement = await attestFiles(v.options, asked);
  const other = { ...v.options, signer: { ...v.signer, publicKeyPem: 'none' } };
  expect(await attestedFiles(other, statement)).toBe(null);
  const text = await v.options.artifacts.put('{"payload":1}', 'note');
  expect(await attestedFiles(v.options, text)).toBe(null);
  expect(await attestedFiles(v.options, `sha256:${'0'.repeat(64)}` as Digest)).toBe(null);
});
