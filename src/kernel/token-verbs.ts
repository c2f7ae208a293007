/** The verbs that an operator token may be made for: those that need a human, but making tokens. */
export const tokenVerbs = [
  'approve',
  'reject',
  'answer',
  'accept',
  'resume',
  'consult',
  'retry',
  'land',
  'prune',
] as const;
export type TokenVerb = (typeof tokenVerbs)[number];
