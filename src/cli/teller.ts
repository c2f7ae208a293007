/** What a view is given, and the one shape of its three ways of telling. */
import type { Client, RunView } from '../ports/client.ts';
import type { StoredEvent } from '../ports/store.ts';
import type { Definition } from '../ports/words.ts';
import type { Standing } from './ending.ts';

export interface ViewOptions {
  readonly client: Client;
  readonly run: RunView;
  readonly definition: Definition;
  readonly notes: readonly string[];
  /** Null: no heartbeat. */
  readonly heartbeatMs: number | null;
  /** Null: as long as it takes. */
  readonly timeoutMs: number | null;
  /** Whoever watches asked for a dry run: its end is what he wanted. */
  readonly isDryRun?: true;
  /** SIGTERM ends this view alone: whoever started the run is somebody else. */
  readonly leavesOnTerminate?: true;
  /** Called on each look; `demo --crash` uses it. */
  readonly onLook?: (view: RunView, say: (line: string) => void) => Promise<void>;
}

/** One way of telling; `close` restores the terminal and is idempotent. */
export interface Teller {
  /** False: the reader has gone. */
  begin(standing: Standing): boolean;
  tell(events: readonly StoredEvent[], standing: Standing): Promise<boolean>;
  say(line: string): void;
  /** A key that changes only what is shown. */
  key(key: string): void;
  close(): void;
}
