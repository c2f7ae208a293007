export interface PostgresServer {
  /** Of the database `postgres`. */
  readonly url: string;
  urlOf(database: string): string;
  readonly port: number;
  readonly pid: number;
  readonly directory: string;
  /** The end of its log. */
  said(): string;
  /** As after a crash: at once, every connection is cut, nothing is said; the same address. */
  restart(): Promise<void>;
  /** The first half of it, and the second. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /**
   * Another server that follows this one, which is down while its files are copied. It is to be
   * stopped first.
   */
  standby(): Promise<PostgresServer>;
  stop(): Promise<void>;
}
export function startPostgres(options?: {
  readonly binaries?: string;
  readonly settings?: Readonly<Record<string, string | number>>;
}): Promise<PostgresServer>;
export function machineBinaries(): readonly string[];
