/**
 * What the holder of an execution states of the result that it hands in: an in-toto Statement v1 in
 * a DSSE envelope, signed by the key of the worker, or of the installation for a lane of its own
 * machine. Its subjects are the result, as canonical JSON, and the commit that it names; the
 * predicate binds execution, grant, seal and producer (XP-16, XP-17, XP-18).
 */
import { createHash } from 'node:crypto';
import type { JobResult } from '../domain/execution/state.ts';
import { canonicalJson } from '../kernel/json.ts';
import type { Clock } from '../ports/clock.ts';
import type { SealAttestor, SealedMessage } from '../ports/seals.ts';
import { sealEnvelope } from './receipt/dsse.ts';
import { payloadType, statementType } from './receipt/statement-names.ts';
import type { Signer } from './signer.ts';

export const sealType = 'https://pawl.dev/seal/v1';

interface Subject {
  readonly name: string;
  readonly digest: Readonly<Record<string, string>>;
}

export function sealAttestor(signer: Signer, clock: Pick<Clock, 'now'>): SealAttestor {
  return {
    attest: (message) => {
      const { execution, grantId, seal, result } = message;
      const statement = {
        _type: statementType,
        subject: subjectsOf(message),
        predicateType: sealType,
        predicate: {
          ...{ execution, grantId, seal },
          kind: result.kind,
          outcome: outcomeOf(result),
          receipt: receiptOf(result),
          worker: signer.worker ?? null,
          keyId: signer.keyId,
          capturedAt: new Date(clock.now()).toISOString(),
        },
      };
      return JSON.stringify(sealEnvelope(payloadType, JSON.stringify(statement), signer));
    },
  };
}

export function subjectsOf({ execution, result }: SealedMessage): readonly Subject[] {
  const sha256 = createHash('sha256').update(canonicalJson(result)).digest('hex');
  const commit = commitOf(result);
  return [
    { name: `result of ${execution}`, digest: { sha256 } },
    ...(commit === null ? [] : [{ name: 'work', digest: { gitCommit: commit } }]),
  ];
}

function commitOf(result: JobResult): string | null {
  if (result.kind === 'prepared' || result.kind === 'advised') return null;
  return result.kind === 'verified' ? result.facts.commit : result.commit;
}

function outcomeOf(result: JobResult): string {
  if (result.kind === 'prepared') return result.baseline;
  if (result.kind === 'failed') return result.class;
  if (result.kind === 'advised') return result.kind;
  return result.kind === 'verified' ? result.facts.outcome : result.outcome;
}

function receiptOf(result: JobResult): string | null {
  if (result.kind === 'prepared') return result.receipt;
  return result.kind === 'verified' ? result.facts.receipt : null;
}
