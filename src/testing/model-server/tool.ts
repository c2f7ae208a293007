export type ToolWish =
  /** Runs a command line by whatever shell tool is offered. */
  | { readonly shell: string }
  /** Writes a file by whatever tool writes files, else by the shell. */
  | { readonly write: string; readonly content: string }
  /** Reads a file by whatever tool reads files, else by the shell. */
  | { readonly read: string }
  /** Asks a person, by whatever tool does that, else in the turn's result file. */
  | { readonly ask: string }
  /** Calls this tool, offered or not. */
  | { readonly name: string; readonly args: Readonly<Record<string, unknown>> };

export interface OfferedTool {
  readonly name: string;
  readonly namespace: string | null;
  /** It takes text in place of arguments, and this says how; absent: it takes arguments. */
  readonly freeform?: string;
  /** Name → JSON schema of each parameter. */
  readonly parameters: Readonly<Record<string, { readonly type?: unknown }>>;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly namespace: string | null;
  readonly args: string;
  /** `args` is the text of a tool that takes no arguments. */
  readonly isFreeform?: true;
}
