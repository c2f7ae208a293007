import type { Digest } from '../domain/ids.ts';
import type { Principal } from '../domain/principal/principal.ts';
import { RequestError } from '../kernel/errors.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { GateAnswer, RunView } from '../ports/client.ts';
import { type AttestingOptions, attested } from './attested.ts';
import type { RunRequest } from './command.ts';
import { clip } from './prompt.ts';
import { noteMax } from './words.ts';

export interface Answering {
  readonly seen: RunView;
  readonly answer: GateAnswer;
  readonly principal: Principal;
}

/**
 * The command that an answer is: of what was shown, also where it no longer waits, so that the
 * refusal says what became of it.
 */
export async function resolving(
  options: AttestingOptions & { readonly engine: { readonly artifacts: Artifacts } },
  { seen, answer, principal }: Answering,
): Promise<RunRequest> {
  const { gate, short } = seen;
  const approval = answer.approval ?? gate?.approval;
  if (approval === undefined) {
    throw new RequestError('wrong_verb', `${short} waits for no approval`);
  }
  const { outcome, note, forRun } = answer;
  const said = { outcome, note: note ?? '', principal };
  const digest: Digest | null =
    note === null ? null : await options.engine.artifacts.put(note, 'note');
  const receipt = gate?.approval === approval ? await attested(options, seen, said) : null;
  const summary = clip(note ?? outcome, noteMax);
  return {
    ...({ type: 'resolve_gate', approval, outcome, note: digest, summary } as const),
    ...(receipt === null ? {} : { receipt }),
    ...(forRun === undefined ? {} : { forRun }),
  };
}
