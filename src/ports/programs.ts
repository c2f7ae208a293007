/** Programs of the user's machine, asked for their version and for nothing else. */
export interface Programs {
  /** The folders that are searched, in order. */
  readonly searched: readonly string[];
  /** Where a program lies; null when it is nowhere on PATH or may not be run. */
  find(program: string): Promise<string | null>;
  /**
   * The first line that `<program> --version` prints, stdin closed; null when it fails or is not
   * done within its deadline (then it is ended).
   */
  version(program: string): Promise<string | null>;
  /** Whether a file lies at that absolute path; nothing of it is read. */
  hasFile(path: string): Promise<boolean>;
}
