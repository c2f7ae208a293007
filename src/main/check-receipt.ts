/**
 * `pawl artifact verify`: a stranger's check of a receipt, in a home of its own that is thrown
 * away.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReceiptReport, VerifyReceipt } from '../cli/composition.ts';
import { gitCheckTrees } from '../git/check-trees.ts';
import { nodeClock } from '../host/clock.ts';
import { writeDurably } from '../host/durable-file.ts';
import { nodeProcesses } from '../host/processes.ts';
import { fieldsOf, listOf, parsedJson } from '../kernel/json.ts';
import { diskArtifacts } from '../store/artifacts/disk-artifacts.ts';
import { runtimeChecks } from '../verify/checks.ts';
import type { Predicate } from '../verify/receipt/predicate.ts';
import { type ReceiptFinding, verifyReceipt } from '../verify/receipt.ts';
import { openSeal } from '../verify/seal-statement.ts';
import { diskSigner, publicKeyPath } from '../verify/signer.ts';
import { keyDirectory } from './places.ts';
import type { Surroundings } from './surroundings.ts';
import { type OtherSigner, signerOfKey } from './worker-registry.ts';

const states = { ok: 'ok', bad: 'fail', unchecked: 'skipped' } as const;

export async function checkReceipt(
  around: Surroundings,
  request: Parameters<VerifyReceipt>[0],
): Promise<ReceiptReport> {
  const trusted = await trustedKey(around, request);
  if (typeof trusted === 'string') return keyUnknown(trusted);
  const sealed = sealChecks(trusted, request.receipt);
  if (sealed !== null) return sealed;
  const home = await mkdtemp(join(around.temporary, 'pawl-receipt-'));
  try {
    const trees = gitCheckTrees({ home, env: around.env });
    const question = {
      repository: request.repository === null ? null : { root: request.repository, trees },
      rerun: request.rerun ? again(around, home, trees) : null,
    };
    const report = await verifyReceipt(request.receipt, trusted.pem, question);
    const machine = machineOf(trusted, report.predicate);
    const checks = [...trusted.checks, ...report.findings.map(shown), ...machine];
    const ok = report.ok && machine.every(({ state }) => state === 'ok');
    return { ok, checks, publicKey: trusted.file };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

interface Trusted {
  readonly pem: string;
  /** Where the key lies, to be handed on; null: it was given. */
  readonly file: string | null;
  readonly checks: ReceiptReport['checks'];
  /** Whose key it is; undefined: it was given, and whose it is nobody here knows. */
  readonly worker?: string | null;
}

/** Of a statement of a seal; null: it is none that the key signed, and is judged as a receipt. */
function sealChecks(trusted: Trusted, envelope: string): ReceiptReport | null {
  const statement = openSeal(envelope, trusted.pem);
  if (statement === null) return null;
  const { execution, seal, kind, outcome, keyId, worker, capturedAt } = statement.predicate;
  const sha256 = statement.subject[0]?.digest['sha256'] ?? '?';
  const machine = workerChecks(trusted, worker);
  return {
    ok: machine.every(({ state }) => state === 'ok'),
    checks: [
      ...trusted.checks,
      { name: 'signature', state: 'ok', detail: `signed by ${keyId}` },
      { name: 'seal', state: 'ok', detail: `${seal} of ${execution}, captured ${capturedAt}` },
      { name: 'result', state: 'ok', detail: `${kind}: ${outcome} · sha256:${sha256}` },
      ...machine,
    ],
    publicKey: trusted.file,
  };
}

/** A key signs for the worker that it was enrolled with, and for no other machine. */
const machineOf = (trusted: Trusted, predicate: Predicate | null): ReceiptReport['checks'] =>
  workerChecks(trusted, predicate?.verifier.worker ?? null);

function workerChecks({ worker }: Trusted, named: string | null): ReceiptReport['checks'] {
  if (named === null) return [];
  if (worker === undefined) return [{ name: 'worker', state: 'ok', detail: named }];
  if (worker === named) return [{ name: 'worker', state: 'ok', detail: `done on ${named}` }];
  const whose = worker === null ? 'no worker' : worker;
  return [
    { name: 'worker', state: 'fail', detail: `says ${named}, and the key is that of ${whose}` },
  ];
}

/**
 * The key that was given; else that of a worker of this store, if it signed; else our own. A text
 * is the id of a key that is not known here.
 */
async function trustedKey(
  around: Surroundings,
  { key, receipt }: Pick<Parameters<VerifyReceipt>[0], 'key' | 'receipt'>,
): Promise<Trusted | string> {
  if (key !== null) return { pem: key, file: null, checks: [] };
  const directory = keyDirectory(around);
  const own = diskSigner({ directory });
  const [signedBy = own.keyId] = signersOf(receipt);
  const other = signedBy === own.keyId ? null : await signerOfKey(around, signedBy);
  if (other === null && signedBy !== own.keyId) return signedBy;
  if (other === null) {
    const file = publicKeyPath(directory);
    return { pem: own.publicKeyPem, file, checks: [], worker: null };
  }
  const file = join(directory, `${other.file}.pub.pem`);
  writeDurably(file, other.pem);
  return { pem: other.pem, file, checks: [whoSigned(other)], worker: other.worker };
}

/** Nothing is said of the receipt itself: whose key that is may be known elsewhere. */
function keyUnknown(keyId: string): ReceiptReport {
  const detail = `not checked: its key ${keyId} is not known here`;
  const next =
    'where it was signed, "pawl artifact verify <file>" names the public key; then --key <file> here';
  const checks = [
    { name: 'signature', state: 'skipped' as const, detail },
    { name: 'next', state: 'skipped' as const, detail: next },
  ];
  return { ok: false, checks, publicKey: null };
}

const whoSigned = ({ who, isRevoked }: OtherSigner) => ({
  name: 'signer',
  state: isRevoked ? ('skipped' as const) : ('ok' as const),
  detail: who,
});

/** Ids of the keys that the envelope names; none where it cannot be read. */
const signersOf = (receipt: string): readonly string[] =>
  listOf(fieldsOf(parsedJson(receipt))['signatures']).flatMap((one) => {
    const id = fieldsOf(one)['keyid'];
    return typeof id === 'string' ? [id] : [];
  });

function again(around: Surroundings, home: string, trees: ReturnType<typeof gitCheckTrees>) {
  const checks = runtimeChecks({
    trees,
    processes: nodeProcesses({
      stateDirectory: join(home, 'containment'),
      path: around.env['PATH'],
    }),
    artifacts: diskArtifacts({ directory: join(home, 'artifacts') }),
    clock: nodeClock(),
    home,
    signer: diskSigner({ directory: join(home, 'keys') }),
    env: around.env,
  });
  return { checks, signal: new AbortController().signal, progress: () => {} };
}

const shown = ({ check, result, detail }: ReceiptFinding) => ({
  name: check,
  state: states[result],
  detail,
});
