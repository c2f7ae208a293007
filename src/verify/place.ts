/**
 * Where checks run: a leased tree of the runtime's own, or the lane's tree, with its environment.
 */
import type { EmptySubmodule } from '../ports/workspace.ts';
import type { CommandRun } from './run-command.ts';

export interface Place {
  readonly tree: string;
  /** `tree` and the project's folder in it. */
  readonly directory: string;
  /** `shared` is weaker by name: others could write there. */
  readonly kind: 'clean' | 'shared';
  /** Up to date after each {@link ready}. */
  facts(): EnvironmentFacts;
  /** Submodules that are empty here. */
  readonly emptySubmodules: readonly EmptySubmodule[];
  /** Before each criterion: prepared paths are as setup left them; a difference rebuilds them. */
  ready(): Promise<void>;
  release(): Promise<void>;
}

/** What a receipt says about the environment. */
export interface EnvironmentFacts {
  readonly setup: string | null;
  readonly key: string | null;
  readonly how: 'reflink' | 'hardlink' | 'copy' | 'setup' | 'none';
  readonly tools: readonly string[];
  readonly paths: readonly string[];
  /** Tracked files that setup changed: they were put back, checks see them as committed. */
  readonly putBack: readonly string[];
  /** Each time that prepared paths were not as setup left them: at most five of the paths. */
  readonly rebuilt: readonly (readonly string[])[];
}

export const noEnvironment: EnvironmentFacts = {
  setup: null,
  key: null,
  how: 'none',
  tools: [],
  paths: [],
  putBack: [],
  rebuilt: [],
};

/** Setup did not end well; the check was never reached. */
export interface SetupFailure {
  readonly ok: false;
  readonly key: string | null;
  readonly run: CommandRun;
  /** `setup "npm ci" failed: exit 1: …`. */
  readonly message: string;
}
export type Placed = { readonly ok: true; readonly place: Place } | SetupFailure;

/**
 * The submodule that could not be filled although the user has it: a check that fails without it
 * says nothing about the work. One that is empty in his checkout too is only named.
 */
export function missingPart({ emptySubmodules }: Pick<Place, 'emptySubmodules'>): string | null {
  return emptySubmodules.find(({ asInCheckout }) => !asInCheckout)?.note ?? null;
}
