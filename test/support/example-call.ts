import type { RunView } from '../../src/ports/client.ts';
import type { ApprovalId } from '../../src/ports/words.ts';
import { at, execution } from './example-run.ts';

/** A lane's call waits for a human. */
export const exampleCall = (
  approval: string,
): Extract<NonNullable<RunView['gate']>, { kind: 'permission' }> => ({
  kind: 'permission',
  approval: approval as ApprovalId,
  execution: execution(3),
  ask: { request: 'p1', tool: 'Bash', title: 'git push', args: 'a', definition: 'd' },
  point: { job: 'execute', session: 'fresh', tree: 'same', commit: null },
  askedAt: at(0),
  expiresAt: null,
});
