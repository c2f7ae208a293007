/** The artifacts that a result names: each must have been put before anything rests on it. */
import type { PlaneRequest } from '../../contract/plane.ts';

type Result = PlaneRequest<'result'>['result'];

export function namedBy(result: Result): readonly string[] {
  return all(result).filter((one) => one !== null && one !== undefined);
}

function all(result: Result): readonly (string | null | undefined)[] {
  switch (result.kind) {
    case 'prepared':
      return [result.receipt, result.detail, ...(result.outputs ?? [])];
    case 'executed':
      return [result.text, result.journal, result.artifacts?.statement];
    case 'verified':
      return [result.verdict, result.facts.receipt, ...(result.outputs ?? []), result.journal];
    case 'advised':
    case 'failed':
      return [result.text, result.journal];
  }
}
