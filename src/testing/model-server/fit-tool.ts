/**
 * Fits the kind of tool that a turn wants to what a request offers. Every agent program names its
 * shell and its file tools differently and shapes their arguments differently; the schema that it
 * sends tells how.
 */
import type { OfferedTool, ToolCall, ToolWish } from './tool.ts';

export type Fitted = Omit<ToolCall, 'id'>;

const shells = [
  /^exec_command$/,
  /^(bash|shell|run_shell_command|execute_command|run_commands?|run_terminal_cmd|shell_command)$/i,
];
const writers = [
  /^(write|write_file|writefile|create_file|write_to_file|create)$/i,
  // One tool for every change of a file; its `command` says which.
  /^(editor|str_replace_based_edit_tool)$/i,
];
const readers = [/^(read|read_file|readfile|view|view_file)$/i];
const askers = [/^(AskUserQuestion|ask_user_question|question|ask_user)$/];
const pathName = /^(file_?path|path|absolute_?path|filename)$/i;

/** Null when nothing that is offered can do it. */
export function fitTool(wish: ToolWish, tools: readonly OfferedTool[]): Fitted | null {
  if ('name' in wish) {
    const namespace = tools.find(({ name }) => name === wish.name)?.namespace ?? null;
    return { name: wish.name, namespace, args: JSON.stringify(wish.args) };
  }
  if ('shell' in wish) return fitShell(wish.shell, tools);
  if ('ask' in wish) return fitAsker(wish.ask, tools) ?? fitShell(askByFile(wish.ask), tools);
  if ('read' in wish) {
    return fitReader(wish.read, tools) ?? fitShell(`cat -- ${quoted(wish.read)}`, tools);
  }
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
  if (tool === null) return fitProgram(command, tools);
  return call(tool, (name, schema) => shellValue({ name, schema }, command));
}

/** Codex gives its newest models one tool for all: a program that calls the others. */
function fitProgram(command: string, tools: readonly OfferedTool[]): Fitted | null {
  const tool = tools.find(({ freeform }) => freeform?.includes('exec_command('));
  if (tool === undefined) return null;
  const args = `text(await tools.exec_command({ cmd: ${JSON.stringify(command)} }));`;
  return { name: tool.name, namespace: tool.namespace, args, isFreeform: true };
}

function shellValue({ name, schema }: Parameter, command: string): unknown {
  if (/^(command|cmd|commands)$/.test(name)) {
    if (!isArray(schema)) return command;
    // `commands` is a list of command lines, a list called `command` is one command's words.
    return name === 'commands' ? [command] : ['bash', '-lc', command];
  }
  if (name === 'description') return 'run a command';
  return name === 'is_background' || name === 'requires_approval' ? false : undefined;
}

interface Parameter {
  readonly name: string;
  readonly schema: { readonly type?: unknown };
}

/** Gemini's schemas spell their types in capitals. */
const isArray = ({ type }: Parameter['schema']) => String(type).toLowerCase() === 'array';

function fitWriter(
  wish: { readonly write: string; readonly content: string },
  tools: readonly OfferedTool[],
): Fitted | null {
  const tool = firstOf(writers, tools);
  if (tool === null) return null;
  return call(tool, (name) => {
    if (pathName.test(name)) return wish.write;
    if (name === 'command') return 'create';
    return /^(contents?|file_text|new_text|text)$/i.test(name) ? wish.content : undefined;
  });
}

function fitReader(path: string, tools: readonly OfferedTool[]): Fitted | null {
  const tool = firstOf(readers, tools);
  if (tool === null) return null;
  return call(tool, (name) => (pathName.test(name) ? path : undefined));
}

function fitAsker(question: string, tools: readonly OfferedTool[]): Fitted | null {
  const tool = firstOf(askers, tools);
  if (tool === null) return null;
  return call(tool, (name) => ({ ...questionInput(question), question })[name]);
}

/** As the tools for questions of several agents take it. */
export function questionInput(question: string): { readonly questions: readonly object[] } {
  const options = ['Yes', 'No'].map((label) => ({ label, description: `${label}, please` }));
  return { questions: [{ question, header: 'Choice', multiSelect: false, options }] };
}

function call(
  tool: OfferedTool,
  pick: (name: string, schema: Parameter['schema']) => unknown,
): Fitted {
  const values = Object.entries(tool.parameters).map(([name, schema]) => [
    name,
    pick(name, schema),
  ]);
  const args = Object.fromEntries(values.filter(([, value]) => value !== undefined));
  return { name: tool.name, namespace: tool.namespace, args: JSON.stringify(args) };
}

const quoted = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`;

/** The content goes through base64: no quoting of any shell can touch it. */
function writeByShell(path: string, content: string): string {
  return `${printed(content)} > ${quoted(path)}`;
}

function askByFile(text: string): string {
  return `${printed(JSON.stringify({ outcome: 'question', text }))} > "$PAWL_RESULT_FILE"`;
}

const printed = (content: string) =>
  `printf %s ${Buffer.from(content).toString('base64')} | base64 -d`;
