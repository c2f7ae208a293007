/**
 * What the scripted model says. A script is a list of turns per path prefix, so that many programs
 * can talk to one server without meeting; a turn names the *kind* of tool it wants and is fitted to
 * the tools that the request itself offers, as every agent program names and shapes its own.
 */

export interface TurnUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

export type ToolWish =
  /** Runs a command line by whatever shell tool is offered. */
  | { readonly shell: string }
  /** Writes a file by whatever tool writes files, else by the shell. */
  | { readonly write: string; readonly content: string }
  /** Calls this tool, offered or not. */
  | { readonly name: string; readonly args: Readonly<Record<string, unknown>> };

export interface Turn {
  readonly text?: string;
  readonly tool?: ToolWish;
  readonly usage?: TurnUsage;
}

/** The turn that answers a request; `turn` counts from 0 within the conversation of the request. */
export type Turns = readonly Turn[] | ((request: ModelRequest, turn: number) => Turn);

/** Path prefix (`/s/one`; empty: every path) → what is said there. The longest match wins. */
export type Script = Readonly<Record<string, Turns>>;

export interface OfferedTool {
  readonly name: string;
  readonly namespace: string | null;
  /** Name → JSON schema of each parameter. */
  readonly parameters: Readonly<Record<string, { readonly type?: unknown }>>;
}

/** A request, whatever its API. */
export interface ModelRequest {
  readonly model: string;
  readonly isStreamed: boolean;
  readonly tools: readonly OfferedTool[];
  /** The newest message of the user, as plain text. */
  readonly userText: string;
  /** What the newest tool call gave back; null when the conversation does not end with one. */
  readonly toolText: string | null;
  /** How many turns of ours the conversation already holds. */
  readonly turnsSoFar: number;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly namespace: string | null;
  readonly args: string;
}

/** What is sent, before it takes the shape of an API. */
export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly call: ToolCall | null;
  readonly usage: TurnUsage;
}

const usualUsage: TurnUsage = { inputTokens: 1234, cachedTokens: 20, outputTokens: 56 };
const callPrefix = 'call_turn_';

/** The turn whose call an id belongs to; null for an id that is not ours. */
export function turnOfCall(id: unknown): number | null {
  const digits =
    typeof id === 'string' && id.startsWith(callPrefix) ? id.slice(callPrefix.length) : '';
  return /^\d+$/.test(digits) ? Number(digits) : null;
}

/** Pure: the same conversation always gets the same answer, so a retried request does too. */
export function answer(turns: Turns, request: ModelRequest): Answer {
  const number = request.turnsSoFar;
  const turn = turnFor(turns, request, number);
  const fitted = turn.tool === undefined ? null : fitTool(turn.tool, request.tools);
  const missing = turn.tool !== undefined && fitted === null;
  const offered = request.tools.map(({ name }) => name).join(', ');
  return {
    id: `turn_${number}`,
    model: request.model,
    text: missing ? `No offered tool can do this. Offered: ${offered}` : (turn.text ?? ''),
    call: fitted === null ? null : { ...fitted, id: `${callPrefix}${number}` },
    usage: turn.usage ?? usualUsage,
  };
}

/**
 * A request without tools is a side errand of the program (a title, a summary): no turn is spent.
 */
function turnFor(turns: Turns, request: ModelRequest, number: number): Turn {
  if (typeof turns === 'function') return turns(request, number);
  if (request.tools.length === 0) return { text: 'A short title' };
  return turns[number] ?? { text: 'Nothing more is scripted.' };
}

const shells = [
  /^exec_command$/,
  /^(bash|shell|run_shell_command|execute_command|run_commands?|run_terminal_cmd|shell_command)$/i,
];
const writers = [/^(write|write_file|writefile|create_file|write_to_file|create)$/i];

type Fitted = Omit<ToolCall, 'id'>;

function fitTool(wish: ToolWish, tools: readonly OfferedTool[]): Fitted | null {
  if ('name' in wish) {
    const namespace = tools.find(({ name }) => name === wish.name)?.namespace ?? null;
    return { name: wish.name, namespace, args: JSON.stringify(wish.args) };
  }
  if ('shell' in wish) return fitShell(wish.shell, tools);
  return fitWriter(wish, tools) ?? fitShell(writeByShell(wish.write, wish.content), tools);
}

function firstOf(patterns: readonly RegExp[], tools: readonly OfferedTool[]): OfferedTool | null {
  for (const pattern of patterns) {
    const found = tools.find(({ name }) => pattern.test(name));
    if (found !== undefined) return found;
  }
  return null;
}

function fitShell(command: string, tools: readonly OfferedTool[]): Fitted | null {
  const tool = firstOf(shells, tools);
  return tool === null
    ? null
    : call(tool, (name, schema) => shellValue(name, schema.type, command));
}

function shellValue(name: string, type: unknown, command: string): unknown {
  if (/^(command|cmd|commands)$/.test(name)) {
    return type === 'array' ? ['bash', '-lc', command] : command;
  }
  if (name === 'description') return 'run a command';
  return name === 'is_background' || name === 'requires_approval' ? false : undefined;
}

function fitWriter(
  wish: { readonly write: string; readonly content: string },
  tools: readonly OfferedTool[],
): Fitted | null {
  const tool = firstOf(writers, tools);
  if (tool === null) return null;
  return call(tool, (name) => {
    if (/^(file_?path|path|absolute_?path|filename)$/i.test(name)) return wish.write;
    return /^(contents?|file_text|new_text|text)$/i.test(name) ? wish.content : undefined;
  });
}

function call(
  tool: OfferedTool,
  pick: (name: string, schema: { readonly type?: unknown }) => unknown,
): Fitted {
  const values = Object.entries(tool.parameters).map(([name, schema]) => [
    name,
    pick(name, schema),
  ]);
  const args = Object.fromEntries(values.filter(([, value]) => value !== undefined));
  return { name: tool.name, namespace: tool.namespace, args: JSON.stringify(args) };
}

/** The content goes through base64: no quoting of any shell can touch it. */
function writeByShell(path: string, content: string): string {
  const quoted = `'${path.replaceAll("'", `'\\''`)}'`;
  return `printf %s ${Buffer.from(content).toString('base64')} | base64 -d > ${quoted}`;
}
