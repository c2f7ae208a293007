/** Makes the signed receipt of a verification and keeps it as an artifact. */
import { createHash } from 'node:crypto';
import type { Definition } from '../../domain/definition/definition.ts';
import type { Digest } from '../../domain/ids.ts';
import type { Artifacts } from '../../ports/artifacts.ts';
import type { Signer } from '../signer.ts';
import { sealEnvelope } from './dsse.ts';
import {
  type Predicate,
  payloadType,
  receiptType,
  type Statement,
  statementType,
} from './predicate.ts';

/** Durable before it answers; the digest is what a verdict carries. */
export async function writeReceipt(
  means: { readonly artifacts: Artifacts; readonly signer: Signer },
  predicate: Predicate,
): Promise<Digest> {
  const statement: Statement = {
    _type: statementType,
    subject: [subjectOf(predicate)],
    predicateType: receiptType,
    predicate,
  };
  const envelope = sealEnvelope(payloadType, JSON.stringify(statement), means.signer);
  return means.artifacts.put(`${JSON.stringify(envelope, null, 2)}\n`, 'receipt');
}

/** The judged commit with its tree; without git, what was observed is all there is to name. */
function subjectOf(predicate: Predicate): Statement['subject'][number] {
  const { work, project, criteria } = predicate;
  if (work !== null) {
    return { name: project.name, digest: { gitCommit: work.commit, gitTree: work.tree } };
  }
  const sha256 = createHash('sha256').update(JSON.stringify(criteria)).digest('hex');
  return { name: `${project.name} (no commit)`, digest: { sha256 } };
}

/** Who judged, on which machine, and by which key it is said. */
export function verifierOf(identity: string, { keyId, worker }: Signer): Predicate['verifier'] {
  const platform = `${process.platform} ${process.arch}`;
  return { identity, keyId, platform, ...(worker === undefined ? {} : { worker }) };
}

export function recipeOf(definition: Definition): Predicate['recipe'] {
  return {
    setup: definition.workspace.setup,
    submodules: definition.workspace.submodules,
    envAllow: [...definition.env.allow],
    envSet: { ...definition.env.set },
    copy: [...definition.workspace.copy],
    protected: [...definition.protected],
    allowNoChange: definition.allowNoChange,
  };
}
