/**
 * `pawl artifact verify`: a stranger's check of a receipt, in a home of its own that is thrown
 * away.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReceiptReport, VerifyReceipt } from '../cli/composition.ts';
import { gitCheckTrees } from '../git/check-trees.ts';
import { nodeClock } from '../host/clock.ts';
import { nodeProcesses } from '../host/processes.ts';
import { diskArtifacts } from '../store/artifacts/disk-artifacts.ts';
import { runtimeChecks } from '../verify/checks.ts';
import { type ReceiptFinding, verifyReceipt } from '../verify/receipt.ts';
import { diskSigner, publicKeyPath } from '../verify/signer.ts';
import { keyDirectory } from './places.ts';
import type { Surroundings } from './surroundings.ts';

const states = { ok: 'ok', bad: 'fail', unchecked: 'skipped' } as const;

export async function checkReceipt(
  around: Surroundings,
  request: Parameters<VerifyReceipt>[0],
): Promise<ReceiptReport> {
  const key = request.key ?? diskSigner({ directory: keyDirectory(around) }).publicKeyPem;
  const home = await mkdtemp(join(around.temporary, 'pawl-receipt-'));
  try {
    const trees = gitCheckTrees({ home, env: around.env });
    const question = {
      repository: request.repository === null ? null : { root: request.repository, trees },
      rerun: request.rerun ? again(around, home, trees) : null,
    };
    const { ok, findings } = await verifyReceipt(request.receipt, key, question);
    const publicKey = request.key === null ? publicKeyPath(keyDirectory(around)) : null;
    return { ok, checks: findings.map(shown), publicKey };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

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
