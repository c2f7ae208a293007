import { expect, test } from 'vitest';
import { answer, type ModelRequest } from './script.ts';
import type { OfferedTool, ToolWish } from './tool.ts';

const tool = (name: string, ...parameters: readonly string[]): OfferedTool => ({
  name,
  namespace: null,
  parameters: Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }])),
});
const request = (...tools: readonly OfferedTool[]): ModelRequest => ({
  model: 'm',
  isStreamed: false,
  tools,
  userText: 'x',
  toolText: null,
  turnsSoFar: 0,
  schema: null,
});
function callFor(wish: ToolWish, ...tools: readonly OfferedTool[]) {
  const { call, text } = answer([{ tool: wish }], request(...tools));
  return call === null ? text : [call.name, JSON.parse(call.args)];
}

test('a command goes to the shell tool of the program, with the arguments it declares', () => {
  const wish = { shell: 'ls' };
  expect(callFor(wish, tool('read', 'path'), tool('bash', 'command', 'description'))).toEqual([
    'bash',
    { command: 'ls', description: 'run a command' },
  ]);
  expect(callFor(wish, tool('shell', 'command'), tool('exec_command', 'cmd'))).toEqual([
    'exec_command',
    { cmd: 'ls' },
  ]);
});

test('a shell that takes an argument list gets one', () => {
  const shell = { name: 'shell', namespace: null, parameters: { command: { type: 'array' } } };
  expect(callFor({ shell: 'ls' }, shell)).toEqual(['shell', { command: ['bash', '-lc', 'ls'] }]);
});

test('a shell that takes a list of command lines gets a list of one', () => {
  const shell = {
    name: 'run_commands',
    namespace: null,
    parameters: { commands: { type: 'ARRAY' } },
  };
  expect(callFor({ shell: 'ls' }, shell)).toEqual(['run_commands', { commands: ['ls'] }]);
});

test('a file is read by the tool that reads files, else through the shell', () => {
  const wish = { read: "it's/a.txt" };
  expect(callFor(wish, tool('read_file', 'absolute_path', 'limit'))).toEqual([
    'read_file',
    { absolute_path: wish.read },
  ]);
  expect(callFor(wish, tool('bash', 'command'))).toEqual([
    'bash',
    { command: `cat -- 'it'\\''s/a.txt'` },
  ]);
});

test('one tool for all changes of files is told that it shall create one', () => {
  const wish = { write: 'a.txt', content: 'x' };
  expect(callFor(wish, tool('editor', 'command', 'path', 'file_text', 'old_str'))).toEqual([
    'editor',
    { command: 'create', path: 'a.txt', file_text: 'x' },
  ]);
});

test('a side errand that wants JSON of a schema gets some, capitals and choices included', () => {
  const schema = {
    type: 'OBJECT',
    properties: {
      score: { type: 'NUMBER' },
      least: { type: 'integer', minimum: 3 },
      kind: { enum: ['a', 'b'] },
      fixed: { const: 7 },
      isNew: { type: 'boolean' },
      items: { type: 'array' },
      title: { type: ['string', 'null'] },
      nothing: { type: 'null' },
      either: { anyOf: [{ type: 'boolean' }, { type: 'string' }] },
      inner: { properties: { text: {} } },
    },
  };
  const { text } = answer([], { ...request(), schema });
  expect(JSON.parse(text)).toEqual({
    score: 1,
    least: 3,
    kind: 'a',
    fixed: 7,
    isNew: false,
    items: [],
    title: 'A short title',
    nothing: null,
    either: false,
    inner: { text: 'A short title' },
  });
});

test('a schema without an end gets an answer all the same', () => {
  const schema: { readonly type: string; properties?: unknown } = { type: 'object' };
  schema.properties = { again: schema };
  expect(answer([], { ...request(), schema }).text).toMatch(/^(?:\{"again":){9}null\}+$/);
});

test('a file goes to the tool that writes files, else through the shell unharmed', () => {
  const wish = { write: "it's/a.txt", content: 'ä $HOME "x"\n' };
  expect(callFor(wish, tool('write', 'filePath', 'content'))).toEqual([
    'write',
    { filePath: "it's/a.txt", content: wish.content },
  ]);
  const [, args] = callFor(wish, tool('bash', 'command')) as [string, { command: string }];
  const [, encoded] = /printf %s (\S+) \| base64 -d > 'it'\\''s\/a\.txt'$/.exec(args.command) ?? [];
  expect(Buffer.from(encoded ?? '', 'base64').toString()).toBe(wish.content);
});

test('a wish that no offered tool fulfils is said, not dropped', () => {
  expect(callFor({ shell: 'ls' }, tool('read', 'path'))).toMatch(/No offered tool.*read/);
});

test('a tool called by name is called even when it was not offered', () => {
  expect(callFor({ name: 'mcp__x', args: { a: 1 } }, tool('read'))).toEqual(['mcp__x', { a: 1 }]);
});

test('a script that has run out says so', () => {
  expect(answer([], request(tool('bash', 'command'))).text).toBe('Nothing more is scripted.');
});

test('a function decides from the request itself', () => {
  const said = answer((asked, turn) => ({ text: `${asked.userText} ${turn}` }), request());
  expect(said.text).toBe('x 0');
});
