/** The part of the verifier that a human's word asks for: what he said is kept, unsigned. */
import type { Artifacts } from '../../src/ports/artifacts.ts';
import type { Checks } from '../../src/ports/checks.ts';

export function attesting(artifacts: Artifacts, more: Partial<Checks> = {}): Checks {
  const part: Partial<Checks> = {
    ...more,
    attest: ({ run, approval, outcome, by }) =>
      artifacts.put(JSON.stringify({ run, approval, outcome, by }), 'receipt'),
  };
  return part as Checks;
}
