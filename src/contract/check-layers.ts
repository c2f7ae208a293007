/** The settings of files alone, by the rules that a run which starts with them is held to. */
import type { RequestError } from '../kernel/errors.ts';
import { checkAgentConfig } from './agent-config.ts';
import { brakesOf } from './brakes.ts';
import { criterionOf } from './criteria.ts';
import type { CriterionValue } from './definition.ts';
import type { Layer } from './layer.ts';
import { type Merged, mergeLayers } from './merge.ts';
import { notifyOf } from './notify.ts';
import { checkPaths } from './paths.ts';
import { rolesOf } from './roles.ts';

export interface LayersChecked {
  readonly problems: readonly RequestError[];
  readonly notes: readonly string[];
}

/**
 * Every problem for which `define` would refuse these layers, but for a goal or an agent that the
 * command line may still give. What a higher file hides is read too: elsewhere it counts.
 */
export function checkLayers(layers: readonly Layer[]): LayersChecked {
  const problems: RequestError[] = [];
  const notes: string[] = [];
  const merged = mergeLayers(layers);
  const criteria = criteriaOf(merged, problems);
  // An agent may still come from the command line, so a file without one is not wrong.
  if (merged.value.roles?.execute?.agent !== undefined) {
    checkAgentConfig(merged, rolesOf(merged, criteria, problems), problems);
  }
  brakesOf(merged, layers, problems, notes);
  notifyOf(merged, problems);
  checkPaths(merged, problems);
  for (const layer of layers) {
    const alone = mergeLayers([layer]);
    criteriaOf(alone, problems);
    notifyOf(alone, problems);
    checkPaths(alone, problems);
  }
  return { problems: eachOnce(problems), notes };
}

function criteriaOf(merged: Merged, problems: RequestError[]): readonly CriterionValue[] {
  const layer = merged.origin(['criteria']);
  return (merged.value.criteria ?? []).flatMap((file, index) => {
    const criterion = criterionOf(file, layer?.where(['criteria', index]) ?? '');
    if (!(criterion instanceof Error)) return [criterion];
    problems.push(criterion);
    return [];
  });
}

function eachOnce(problems: readonly RequestError[]): readonly RequestError[] {
  const said = new Map(problems.map((one) => [`${one.details.where ?? ''} ${one.message}`, one]));
  return [...said.values()];
}
