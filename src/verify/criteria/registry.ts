/** Every kind of criterion. A new one is its own file and one line here (EV-69). */
import { buildKind } from './build.ts';
import { anyCommandKind } from './command.ts';
import { fileExistsKind } from './file-exists.ts';
import type { CriterionKind } from './kind.ts';
import { lintKind } from './lint.ts';
import { manualKind } from './manual.ts';
import { observerKind } from './observer.ts';
import { oracleKind } from './oracle.ts';
import { testKind } from './test.ts';

export const criterionKinds: readonly CriterionKind[] = [
  testKind,
  buildKind,
  lintKind,
  anyCommandKind,
  fileExistsKind,
  oracleKind,
  observerKind,
  manualKind,
];

/** Undefined for a kind that nothing here can judge. */
export function kindOf(kinds: readonly CriterionKind[], kind: string): CriterionKind | undefined {
  return kinds.find((one) => one.kind === kind);
}
