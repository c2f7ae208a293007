/** The {@link Client} port in this process: views, references, and commands of an operator. */
import type { Holder } from '../domain/execution/state.ts';
import type { Checks } from '../ports/checks.ts';
import type { Client } from '../ports/client.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';

export interface EngineClientOptions {
  readonly engine: Engine;
  readonly workspace: Workspace;
  /** Re-verifies a landing on a moved target. */
  readonly checks: Checks;
  /** Starts a detached driver unless one lives. */
  readonly ensureDriver: () => Promise<void>;
  /** Whether the holder of a seat lives, for the line `no driver`. */
  readonly lives: (holder: Holder) => boolean;
  /** Closes what the composition opened. */
  readonly close: () => Promise<void>;
}

export type EngineClientFactory = (options: EngineClientOptions) => Client;
