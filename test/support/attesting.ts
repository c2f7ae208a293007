/** The part of the verifier that a human's word asks for: what he said is kept, unsigned. */
import type { Artifacts } from '../../src/ports/artifacts.ts';
import type { Checks } from '../../src/ports/checks.ts';

export function attesting(artifacts: Artifacts, more: Partial<Checks> = {}): Checks {
  const part: Partial<Checks> = {
    ...more,
    attest: ({ run, approval, outcome, by, commit }) => {
      const work = commit === null ? null : { commit };
      const statement = JSON.stringify({ run, approval, outcome, by, predicate: { work } });
      const payload = Buffer.from(statement).toString('base64');
      return artifacts.put(JSON.stringify({ payload }), 'receipt');
    },
  };
  return part as Checks;
}
