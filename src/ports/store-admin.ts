/** Care of a store as a whole (`pawl db`): beside the work, never under it. */
import type { Digest, Instant, RunId } from '../domain/ids.ts';
import type { AuditReport, SeatRow } from './store.ts';

export interface StoreAdmin {
  /**
   * What is there. Makes nothing and changes nothing, also where the format is another one.
   * @throws WorldError `store_unusable`, `database_unusable`; TransientError
   * `database_unreachable`.
   */
  status(): Promise<StoreStatus>;
  /**
   * Makes the store if there is none, or brings it to the format of this program; a step that
   * fails leaves the format that it had, whole.
   * @throws WorldError `store_newer`, `store_unusable`; TransientError `store.busy`.
   */
  migrate(): Promise<MigrationReport>;
  /**
   * The file of this machine, and every artifact that it refers to, into an empty database; all of
   * it or nothing. `to` null: the database that the environment names.
   * @throws RequestError `copy_refused`; WorldError, TransientError of either store.
   */
  copy(to: string | null, progress: (progress: CopyProgress) => void): Promise<CopyReport>;
  /**
   * Moves runs that ended long enough ago out of the store, each into one artifact that is read
   * again and checked before anything is deleted. A run whose worktree is there stays.
   */
  archive(request: ArchiveRequest): Promise<ArchiveReport>;
  /**
   * Chain and signed head of an archive file. `key` is the PEM of a public key; null: the key of
   * this machine.
   */
  checkArchive(text: string, key: string | null): Promise<ArchiveCheck>;
}

export interface ArchiveRequest {
  readonly olderThanMs: number;
  /** Takes along what is verified and has not landed; else it stays. */
  readonly unlanded: boolean;
  /** Only says what would go. */
  readonly dry: boolean;
}

export interface ArchiveReport {
  readonly dry: boolean;
  readonly archived: readonly {
    readonly run: RunId;
    readonly name: string;
    readonly events: number;
    /** Null where it was only said. */
    readonly archive: Digest | null;
    readonly bytes: number | null;
  }[];
  /** Ended runs that stay. */
  readonly kept: readonly { readonly run: RunId; readonly name: string; readonly why: string }[];
}

/** What an archive file says of itself. */
export interface ArchiveCheck {
  /** Null: it is no archive of a run. */
  readonly stream: string | null;
  readonly name: string;
  readonly events: number;
  /** When its head was signed; null: by nobody who is known. */
  readonly at: Instant | null;
  readonly problems: AuditReport['problems'];
  /** What the file says and nothing in it proves. */
  readonly cannotProve: readonly string[];
}

export interface CopyProgress {
  readonly table: string;
  /** Rows of all tables; artifacts, which come first, by themselves. */
  readonly done: number;
  readonly of: number;
}

export interface CopyReport extends StoreCounts {
  readonly from: string;
  /** Without its password. */
  readonly to: string;
  /** Every one that a row refers to. */
  readonly artifacts: { readonly copied: number; readonly bytes: number };
}

export interface StoreStatus {
  readonly kind: 'sqlite' | 'postgres';
  /** Path of the file, or address of the database without its password. */
  readonly place: string;
  /** `SQLite 3.50.1`, `PostgreSQL 15.3`. */
  readonly engine: string;
  /** Null: there is no store yet. */
  readonly format: number | null;
  /** The format of this program. */
  readonly known: number;
  readonly migrations: readonly MigrationState[];
  readonly bytes: number | null;
  /** Null where the format is unknown to this program, or there is no store. */
  readonly counts: StoreCounts | null;
  /** Who drives and who checks; `lives` null: it is on another machine. */
  readonly seats: readonly (SeatRow & { readonly lives: boolean | null })[];
}

export interface MigrationState {
  readonly name: string;
  /** `altered`: what was applied under that name is not what this program has. */
  readonly state: 'applied' | 'pending' | 'altered';
}

export interface StoreCounts {
  readonly runs: number;
  /** Of those, not ended. */
  readonly living: number;
  readonly events: number;
}

export interface MigrationReport {
  /** Null: there was no store. */
  readonly from: number | null;
  readonly to: number;
  readonly applied: readonly string[];
}
