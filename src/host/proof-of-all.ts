import type { ProofStrength } from '../domain/execution/state.ts';
import type { Proof } from '../ports/processes.ts';

const order: readonly ProofStrength[] = ['unproven', 'marker+tree', 'kernel'];

/** Several trees are as surely ended as the least sure of them; every gap is named. */
export function weakest(proofs: readonly Proof[]): Proof {
  const [first, ...rest] = proofs;
  if (first === undefined) return { strength: 'kernel', rung: 'none', gaps: [] };
  return rest.reduce((all, proof) => {
    const weaker = order.indexOf(proof.strength) < order.indexOf(all.strength) ? proof : all;
    return { ...weaker, gaps: [...new Set([...all.gaps, ...proof.gaps])].slice(0, 20) };
  }, first);
}
