/** Programs of the user's machine, asked for their version and for nothing else. */
export interface Programs {
  /** The folders that are searched, in order. */
  readonly searched: readonly string[];
  /**
   * Where a program lies that is named by its name or by an absolute path; null when it is nowhere
   * or may not be run. `path`: the PATH to look along; absent: this user's.
   */
  find(program: string, path?: string): Promise<string | null>;
  /** Where a file lies instead that may not be run; null: nowhere. */
  blocked?(program: string, path?: string): Promise<string | null>;
  /**
   * The first line that `<program> --version` prints, stdin closed; null when it fails. One that is
   * not done within its deadline is ended: then it is that.
   */
  version(program: string): Promise<string | null | { readonly notWithinMs: number }>;
  /** Whether a file lies at that absolute path; nothing of it is read. */
  hasFile(path: string): Promise<boolean>;
}
