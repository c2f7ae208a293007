/**
 * Every code this product can show, with what the reader should do next. Source of docs/errors.md.
 * Codes that a user sees are snake_case; dotted ones stay inside. Never reused, never renamed.
 * Kept in alphabetical order.
 */
export const errorCodes = {
  agent_missing: {
    http: 400,
    exit: 2,
    next: 'Install the agent, or name another: pawl run … --agent <name>',
  },
  human_required: {
    http: 403,
    exit: 2,
    next: 'Ask the operator to run the command in a terminal.',
  },
  'grant.stale': {
    http: 409,
    exit: 1,
    next: 'Stop writing: another execution owns the attempt now.',
  },
  'store.busy': { http: 503, exit: 1, next: 'Run the command again; the store was busy for 10 s.' },
} as const satisfies Record<string, { http: number; exit: number; next: string }>;

export type ErrorCode = keyof typeof errorCodes;
