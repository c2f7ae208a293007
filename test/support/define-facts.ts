import type { DefineFacts } from '../../src/contract/define.ts';

/** Of a run that is defined in a folder without git. */
export const plainFacts: DefineFacts = {
  goal: 'g',
  name: null,
  project: { root: '/r', name: 'r', kind: 'user', cwd: '' },
  base: null,
  baseBranch: null,
  includeChanges: false,
  extraCriteria: [],
};
