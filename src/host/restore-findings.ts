import type { Definition } from '../domain/definition/definition.ts';
import type { Finding } from '../domain/execution/state.ts';
import type { CheckoutPrint, Tree } from '../ports/workspace.ts';
import type { LaneWork } from './lane-work.ts';

/** A finding names twenty paths; this many rounds put back two thousand and then stop. */
const roundsMax = 100;

export interface RestoreRequest {
  readonly before: CheckoutPrint;
  readonly kinds: readonly Finding['kind'][];
}

/** What is to be left for looking at is no drift. */
export function scopeOf({ fileScope, artifacts = [] }: Definition): readonly string[] {
  return fileScope.length === 0 ? [] : [...fileScope, ...artifacts];
}

export function findingsOf(
  work: LaneWork,
  tree: Tree,
  before: CheckoutPrint,
): Promise<readonly Finding[]> {
  const { definition, allowedPaths: allowed } = work.dispatch;
  const policy = { fileScope: scopeOf(definition), protected: definition.protected, allowed };
  return work.options.workspace.findings(tree, policy, before);
}

/** Puts back to base what is found, until nothing is found any more; answers with all the paths. */
export async function restoreFindings(
  work: LaneWork,
  tree: Tree,
  request: RestoreRequest,
): Promise<readonly string[]> {
  const restored = new Set<string>();
  for (let round = 0; round < roundsMax; round += 1) {
    const findings = await findingsOf(work, tree, request.before);
    const paths = findings
      .filter(({ kind }) => request.kinds.includes(kind))
      .flatMap((finding) => finding.paths)
      .filter((path) => !restored.has(path));
    if (paths.length === 0) break;
    await work.options.workspace.restore(tree, paths);
    for (const path of paths) restored.add(path);
  }
  if (restored.size > 0) work.journal.note(`put back to base: ${[...restored].join(', ')}`);
  return [...restored];
}
