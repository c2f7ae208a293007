/**
 * What is found in a project and on this machine without being told (UX 1.3): candidates with their
 * origin. Files are read, never executed; of agents only the version is asked.
 */

export interface Detection {
  /** Nearest manifest from `directory` upward to `root`; both absolute. */
  project(place: { readonly directory: string; readonly root: string }): Promise<Detected>;
  /** Known agents that are installed, in the order in which they are offered. */
  agents(): Promise<readonly InstalledAgent[]>;
  /** Every agent that is known, installed or not. */
  readonly known: readonly KnownAgent[];
  /** Whether that agent is logged in; null when it is not one that is known. */
  login(agent: string): Promise<Login | null>;
  /**
   * Whether a program of that name, or at that absolute path, would be found; `path`: along which
   * PATH; absent: this user's.
   */
  finds(program: string, path?: string): Promise<boolean>;
  /** Where a file lies instead that may not be run; null: nowhere. */
  blocked?(program: string, path?: string): Promise<string | null>;
  /** The folders of PATH. */
  readonly searched: readonly string[];
}

export interface DetectedCheck {
  readonly kind: 'lint' | 'build' | 'test';
  /** As it is run in the folder of the manifest. */
  readonly command: string;
  /** `package.json scripts.test`. */
  readonly from: string;
  /** The script that watches and that `command` is the one-shot form of; null: run as it is. */
  readonly instead: string | null;
}

export interface DetectedSetup {
  readonly command: string;
  /** `package-lock.json`, `pyproject.toml`. */
  readonly from: string;
}

/** What the manifests of one folder say. */
export interface Found {
  readonly packageManager: { readonly name: string; readonly from: string } | null;
  readonly setup: DetectedSetup | null;
  /** Cheapest first. */
  readonly checks: readonly DetectedCheck[];
  /** What was seen and left out, and why; one line each. */
  readonly notes: readonly string[];
}

export interface Detected extends Found {
  /** Folder of the nearest manifest, relative to the root; null when there is no manifest. */
  readonly cwd: string | null;
  /** `.env` files beside the manifest and in the root, relative to the root, templates left out. */
  readonly environmentFiles: readonly string[];
}

/** Told by the presence of a file or variable alone; `unknown` is never guessed away. */
export type Login = 'yes' | 'no' | 'unknown';

export interface KnownAgent {
  readonly name: string;
  readonly install: string;
  /** What a user types to log in. */
  readonly login: string;
  /** Below the home folder; one that is there is a login. */
  readonly loginFiles: readonly string[];
  /** Names of variables that are a login by themselves. */
  readonly loginVariables: readonly string[];
}

export interface InstalledAgent {
  readonly agent: KnownAgent;
  /** Null when it did not say. */
  readonly version: string | null;
  /** It did not answer within this when it was asked for it. */
  readonly notWithinMs?: number;
  readonly login: Login;
}
