/** What a command is, and what it is given: one file per command, loaded only when it is typed. */
import type { Client, RunView } from '../ports/client.ts';
import type { Principal } from '../ports/words.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { CliOptions } from './composition.ts';
import type { Io } from './io.ts';
import type { ArgumentSpec, Arguments, FlagSpec } from './parse.ts';
import type { Style } from './style.ts';

export interface Command {
  /** As typed: `run`, `audit verify`. */
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly FlagSpec[];
  readonly arguments: ArgumentSpec;
  readonly examples: readonly string[];
  /** The exit code; errors are thrown. */
  run(context: Context): Promise<number>;
}

/** A command as it is listed: what completion is made of. */
export interface ListedCommand {
  readonly name: string;
  readonly says: string;
  readonly aliases: readonly string[];
  readonly command: Command;
}

export interface Context {
  readonly options: CliOptions;
  readonly io: Io;
  readonly given: Arguments;
  readonly style: Style;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  /** Folder that counts as where the command was typed (`-C`). */
  readonly directory: string;
  /** How this program is called in the lines that it prints: `pawl`. */
  readonly called: string;
  /** The server that is asked instead of the store of this machine; null: none. */
  readonly server: string | null;

  /** Every command, loaded: for a command that tells about the others. */
  commands(): Promise<readonly ListedCommand[]>;
  client(): Promise<Client>;
  workspace(): Promise<Workspace>;
  /** Root of the project here, resolved once; the folder itself without git. */
  projectRoot(): Promise<string>;
  /** The project to filter by; null with `-A`. */
  projectFilter(): Promise<string | null>;
  /** @throws RequestError when there is none, or several (with the candidates). */
  find(reference: string): Promise<RunView>;
  /** Who types; for verbs that are no gates. */
  principal(): Promise<Principal>;
  /**
   * The human behind a gate verb, for the command `name`, if it is another. A refusal is recorded
   * on the run first.
   * @throws RequestError `human_required` with the line that the operator should type.
   */
  human(verb: string, run: RunView | null, line: string, name?: string): Promise<Principal>;

  /** Lines of a page to stdout; not with `--json`. */
  print(lines: readonly string[]): void;
  /** Warnings and notes to stderr; not with `--quiet` or `--json`. */
  note(lines: readonly string[]): void;
  /** The one object, or one line of a stream, with `--json`. */
  json(value: Readonly<Record<string, unknown>>): void;
}

/** Prints the page or, with `--json`, the object. */
export function answer(
  context: Context,
  lines: readonly string[],
  value: Readonly<Record<string, unknown>>,
): void {
  if (context.isJson) context.json(value);
  else context.print(lines);
}
