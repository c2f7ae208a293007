/** Commands of the design that this version does not have: answered by name, never guessed at. */

export interface LaterCommand {
  readonly says: string;
  readonly next: string;
}

const runsOnly = 'this version pursues one goal per run, and starts none by itself';

export const laterCommands: ReadonlyMap<string, LaterCommand> = new Map([
  ['ui', { says: 'there is no operator UI; status is the page', next: 'pawl status' }],
  ['loop', { says: `${runsOnly}; a scheduler can type run`, next: 'pawl run "…" -d' }],
  ['plan', { says: 'there are no plan runs; attempts pursue the goal', next: 'pawl run "…"' }],
  ['task', { says: `there is no backlog: ${runsOnly}`, next: 'pawl run "…" -d' }],
  [
    'mcp',
    {
      says: 'agents have no verbs of their own; the command line answers them',
      next: 'pawl list --json',
    },
  ],
  [
    'skill',
    {
      says: 'there is no skill to install; the command line answers agents',
      next: 'pawl list --json',
    },
  ],
]);
