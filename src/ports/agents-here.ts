import type { Definition } from '../domain/definition/definition.ts';

/** Agents known by name that lanes of this machine find. No program is started to tell. */
export interface AgentsHere {
  /**
   * Those whose program lies on the PATH that lanes of this definition have, and that are logged in
   * as far as can be told without asking them. Whoever looks on this machine gets the same answer.
   */
  of(definition: Pick<Definition, 'env' | 'secrets'>): Promise<readonly string[]>;
}
