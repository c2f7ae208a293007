/**
 * What becomes of a result whose execution was lost before: it is offered to the one that replaces
 * it (X7). Asked only when its own execution has refused it and what it names is here.
 */
import type { JobResult } from '../domain/execution/state.ts';
import type { Digest } from '../domain/ids.ts';
import { adoptionOf } from '../domain/run/adoption.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { EngineCommand } from './command.ts';

/** The command that the aggregate decides: the same, or the adoption that it stands for. */
export function orAdoption(aggregate: RunAggregate, command: EngineCommand): EngineCommand {
  if (command.isLate !== true || command.kind !== 'execution') return command;
  if (command.command.type !== 'result') return command;
  const adoption = adoptionOf(aggregate, command.execution);
  if (adoption === null) return command;
  const { grantId, seal, result, at, attestation } = command.command;
  const { from, by } = adoption;
  const attested = attestation === undefined ? {} : { attestation };
  const adopt = { type: 'adopt', from, grantId, seal, result, at, ...attested } as const;
  return { ...command, execution: by, command: adopt };
}

/** Whether the work that a result names can be read, so that nothing rests on lost bytes. */
export async function isWhole(
  artifacts: Pick<Artifacts, 'get'>,
  result: JobResult,
): Promise<boolean> {
  if (result.kind !== 'executed') return false;
  const named = [result.text, result.journal].filter((one): one is Digest => one !== null);
  const found = await Promise.all(named.map((digest) => artifacts.get(digest)));
  return found.every((bytes) => bytes !== null);
}
