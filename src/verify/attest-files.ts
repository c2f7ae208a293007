/**
 * Files that a turn left to be looked at, as a signed in-toto statement: their digests are its
 * subjects; the predicate says who made them, in which attempt, beside which commit, and when
 * (XP-17). The files themselves are not kept: they are their maker's (EV-67).
 */
import { z } from 'zod';
import type { Digest } from '../domain/ids.ts';
import { identityOf } from '../domain/run/terms.ts';
import { parsedJson } from '../kernel/json.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { FilesAttestation } from '../ports/checks.ts';
import type { Clock } from '../ports/clock.ts';
import type { FilesLeft } from '../ports/workspace.ts';
import { openEnvelope, sealEnvelope } from './receipt/dsse.ts';
import { envelopeSchema, payloadType, statementType } from './receipt/predicate.ts';
import type { Signer } from './signer.ts';

const filesType = 'https://pawl.dev/artifacts/v1';

const schema = z.object({
  _type: z.literal(statementType),
  subject: z.array(z.object({ name: z.string(), digest: z.object({ sha256: z.string() }) })),
  predicateType: z.literal(filesType),
  predicate: z.object({
    run: z.string(),
    execution: z.string(),
    attempt: z.int().positive(),
    producer: z.string(),
    project: z.string(),
    commit: z.string().nullable(),
    capturedAt: z.string(),
    /** In the order of the subjects. */
    bytes: z.array(z.number().nonnegative()),
    missing: z.array(z.string()),
    refused: z.array(z.object({ path: z.string(), why: z.string() })),
  }),
});
type Statement = z.infer<typeof schema>;

interface Means {
  readonly artifacts: Artifacts;
  readonly signer: Signer;
  readonly clock: Pick<Clock, 'now'>;
}

export async function attestFiles(means: Means, asked: FilesAttestation): Promise<Digest> {
  const { run, execution, attempt, definition, commit, left } = asked;
  const statement: Statement = {
    _type: statementType,
    subject: left.files.map(({ path, sha256 }) => ({ name: path, digest: { sha256 } })),
    predicateType: filesType,
    predicate: {
      ...{ run, execution, attempt, commit },
      producer: identityOf(definition.roles.execute),
      project: definition.project.name,
      capturedAt: new Date(means.clock.now()).toISOString(),
      bytes: left.files.map(({ bytes }) => bytes),
      missing: [...left.missing],
      refused: left.refused.map(({ path, why }) => ({ path, why })),
    },
  };
  const envelope = sealEnvelope(payloadType, JSON.stringify(statement), means.signer);
  return means.artifacts.put(`${JSON.stringify(envelope, null, 2)}\n`, 'attestation');
}

export async function attestedFiles(
  { artifacts, signer }: Pick<Means, 'artifacts' | 'signer'>,
  digest: Digest,
): Promise<FilesLeft | null> {
  const bytes = await artifacts.get(digest);
  if (bytes === null) return null;
  const envelope = envelopeSchema.safeParse(parsedJson(Buffer.from(bytes).toString('utf8')));
  if (!envelope.success) return null;
  const payload = openEnvelope(envelope.data, signer.publicKeyPem);
  const read = payload === null ? null : schema.safeParse(parsedJson(payload));
  return read?.success === true ? filesOf(read.data) : null;
}

function filesOf({ subject, predicate }: Statement): FilesLeft {
  const { bytes, missing, refused } = predicate;
  const files = subject.map(({ name, digest }, index) => ({
    ...{ path: name, sha256: digest.sha256, bytes: bytes[index] ?? 0 },
  }));
  return { files, missing, refused };
}
