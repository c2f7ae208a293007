/**
 * A project as detection sees it: files are read, never executed and never written. Paths are
 * absolute.
 */
export interface ProjectFiles {
  /** Text of a file; null when there is none, it is unreadable, or larger than detection reads. */
  read(path: string): Promise<string | null>;
  /** Names in a folder, in any order; none when there is no such folder. */
  names(folder: string): Promise<readonly string[]>;
}
