/**
 * The flags of `run` (and of `retry`, where each overrides), and the layer of settings they are.
 */
import type { DefinitionFile, UserConfigFile } from '../contract/definition-file.ts';
import { printDuration } from '../contract/duration.ts';
import { type Layer, readLayer } from '../contract/layer.ts';
import { agentOf } from '../contract/merge.ts';
import { splitArgv } from '../kernel/argv.ts';
import { ConfigError, RequestError } from '../kernel/errors.ts';
import type { Arguments, FlagSpec } from './parse.ts';

const noPlan = 'a run makes attempts at the whole goal, and plans no steps';
const noLoop = 'there are no loops yet; repeat `pawl run` by cron, for example';

export const definitionFlags: readonly FlagSpec[] = [
  {
    name: 'goal-file',
    short: 'f',
    kind: 'value',
    value: 'path|-',
    says: 'read the goal from a file or stdin',
  },
  { name: 'agent', short: 'a', kind: 'value', value: 'name[:model]', says: 'who does the work' },
  {
    name: 'agent-cmd',
    kind: 'value',
    value: 'argv',
    says: 'any command as the agent; split like a shell, nothing expanded',
  },
  {
    name: 'check',
    short: 'c',
    kind: 'list',
    value: 'cmd',
    says: 'a command that must pass; may be given again (detected)',
  },
  {
    name: 'setup',
    kind: 'value',
    value: 'cmd',
    says: 'makes a fresh checkout able to run the checks; none: without (detected)',
  },
  {
    name: 'oracle',
    kind: 'list',
    value: 'statement',
    says: 'a statement that a judging agent must find true',
  },
  { name: 'verify-agent', kind: 'value', value: 'name[:model]', says: 'who judges' },
  { name: 'manual', kind: 'switch', says: 'a human looks at the end' },
  { name: 'attempts', short: 'n', kind: 'value', value: 'n', says: 'attempts that may end (5)' },
  { name: 'max-cost', kind: 'value', value: 'usd', says: 'stop at this cost' },
  { name: 'max-tokens', kind: 'value', value: 'n', says: 'stop at this many tokens' },
  { name: 'max-steps', kind: 'value', value: 'n', says: 'plan runs only', later: noPlan },
  { name: 'max-time', kind: 'value', value: 'span', says: 'stop after this much active time (8h)' },
  { name: 'scope', kind: 'list', value: 'glob', says: 'writes outside are drift' },
  { name: 'protect', kind: 'list', value: 'glob', says: 'a change there stops the run' },
  {
    name: 'permissions',
    kind: 'value',
    value: 'mode',
    says: 'may it run commands unasked (trusted; workspace where the agent is held to it)',
    oneOf: ['workspace', 'trusted', 'ask'],
  },
  {
    name: 'baseline',
    kind: 'value',
    value: 'how',
    says: 'the checks on the base commit (auto)',
    oneOf: ['auto', 'green-ok', 'skip'],
  },
  {
    name: 'on-limit',
    kind: 'value',
    value: 'how',
    says: 'what a limit of the agent does (wait)',
    oneOf: ['wait', 'stop', 'ask'],
  },
  { name: 'name', kind: 'value', value: 'name', says: 'handle of the run' },
  { name: 'plan', kind: 'switch', says: 'plan first', later: noPlan },
  { name: 'approve-plan', kind: 'switch', says: 'approve the plan first', later: noPlan },
  { name: 'loop', kind: 'value', value: 'name', says: 'as a loop', later: noLoop },
];

export const sourceFlags: readonly FlagSpec[] = [
  { name: 'base', kind: 'value', value: 'rev', says: 'cut the branch from here (HEAD)' },
  {
    name: 'include-changes',
    kind: 'switch',
    says: 'take your uncommitted changes along, as a snapshot',
  },
  {
    name: 'isolation',
    kind: 'value',
    value: 'how',
    says: 'a worktree of its own, or the folder itself (worktree)',
    oneOf: ['worktree', 'none'],
  },
];

export const viewFlags: readonly FlagSpec[] = [
  { name: 'detach', short: 'd', kind: 'switch', says: 'start it and return' },
  {
    name: 'heartbeat',
    kind: 'value',
    value: 'span|off',
    says: 'in a pipe, a line at least this often (60s)',
  },
];

type Tree = { [key: string]: unknown };

/** Checked by the schema of the file; a problem names the flag. @throws ConfigError. */
export function flagLayer(given: Arguments): Layer {
  const value: Tree = {};
  const set = (path: readonly string[], item: unknown): void => {
    if (item === null || item === undefined) return;
    let at = value;
    for (const step of path.slice(0, -1)) {
      at[step] ??= {};
      at = at[step] as Tree;
    }
    at[path.at(-1) ?? ''] = item;
  };
  setRoles(given, set);
  const checks = given.list('check');
  if (checks.length > 0)
    set(
      ['criteria'],
      checks.map((command) => ({ test: command })),
    );
  set(['workspace', 'setup', 'run'], given.text('setup'));
  set(['workspace', 'isolation'], given.text('isolation'));
  set(['brakes', 'attempts'], given.whole('attempts', 0));
  set(['brakes', 'cost'], given.decimal('max-cost'));
  set(['brakes', 'tokens'], given.whole('max-tokens', 1));
  const timeMs = given.durationMs('max-time');
  set(['brakes', 'time'], timeMs === null ? null : printDuration(timeMs));
  for (const [flag, key] of [
    ['scope', 'fileScope'],
    ['protect', 'protected'],
  ] as const) {
    if (given.list(flag).length > 0) set([key], given.list(flag));
  }
  set(['permissions'], given.text('permissions'));
  set(['baseline'], given.text('baseline'));
  set(['onLimit'], given.text('on-limit'));
  return checkedLayer(value);
}

function setRoles(given: Arguments, set: (path: readonly string[], item: unknown) => void): void {
  const command = given.text('agent-cmd');
  const agent = given.text('agent');
  if (command !== null && agent !== null) {
    throw new RequestError('usage', '--agent and --agent-cmd are both given', {
      next: 'keep one of the two',
    });
  }
  if (command !== null) {
    const argv = wordsOf(command);
    const name =
      (argv[0] ?? 'command')
        .split(/[\\/]/)
        .at(-1)
        ?.replace(/[^\w.-]/g, '-') ?? 'command';
    set(['agents', name], { command: argv });
    set(['roles', 'execute', 'agent'], name);
  }
  if (agent !== null) setAgent('execute', agent, set);
  const verifier = given.text('verify-agent');
  if (verifier !== null) setAgent('verify', verifier, set);
  if (given.rest.length > 0) set(['roles', 'execute', 'args'], given.rest);
}

function setAgent(
  role: string,
  text: string,
  set: (path: readonly string[], item: unknown) => void,
): void {
  const { agent, model } = agentOf(text);
  set(['roles', role, 'agent'], agent);
  set(['roles', role, 'model'], model);
}

function wordsOf(command: string): readonly string[] {
  const split = splitArgv(command);
  if (split.ok) return split.value;
  const what = {
    unclosed_quote: 'a quote is not closed',
    trailing_backslash: 'it ends in a backslash',
    empty: 'it is empty',
  }[split.error.code];
  throw new RequestError('bad_value', `--agent-cmd cannot be split into words: ${what}`, {
    where: '--agent-cmd',
    found: command,
  });
}

function checkedLayer(value: Tree): Layer {
  const reading = readLayer('flags', JSON.stringify(value), 'project', flagNamed);
  if (!reading.ok) throw new ConfigError(reading.problems);
  const { value: file } = reading.layer;
  return {
    origin: 'flags',
    kind: 'flags',
    value: file as UserConfigFile & DefinitionFile,
    where: flagNamed,
  };
}

const flagOf: Readonly<Record<string, string>> = {
  agents: '--agent-cmd',
  'brakes.attempts': '--attempts',
  'brakes.cost': '--max-cost',
  'brakes.time': '--max-time',
  'brakes.tokens': '--max-tokens',
  baseline: '--baseline',
  criteria: '--check',
  fileScope: '--scope',
  onLimit: '--on-limit',
  permissions: '--permissions',
  protected: '--protect',
  'roles.execute.agent': '--agent',
  'roles.execute.model': '--agent',
  'roles.execute.args': '-- <agent args>',
  'roles.verify.agent': '--verify-agent',
  'roles.verify.model': '--verify-agent',
  'workspace.isolation': '--isolation',
  'workspace.setup': '--setup',
};
function flagNamed(path: readonly (string | number)[]): string {
  for (let end = path.length; end > 0; end -= 1) {
    const flag = flagOf[path.slice(0, end).join('.')];
    if (flag !== undefined) return flag;
  }
  return path[0] === 'brakes' ? '--attempts, --max-cost, --max-time' : 'flags';
}

const goalBytesMax = 1_000_000;

/** From the words, a file or stdin; null when none of them was given. */
export async function goalOf(
  given: Arguments,
  read: {
    readonly file: (path: string) => Promise<string | null>;
    readonly input: (bytesMax: number) => Promise<string>;
  },
): Promise<string | null> {
  const [word] = given.words;
  const path = given.text('goal-file');
  if (path === null) return word ?? null;
  if (word !== undefined)
    throw new RequestError('usage', 'a goal and --goal-file are both given', {});
  const text = path === '-' ? await read.input(goalBytesMax) : await read.file(path);
  if (text === null)
    throw new RequestError('bad_value', `there is no file ${path}`, { where: '--goal-file' });
  if (Buffer.byteLength(text) > goalBytesMax) {
    throw new RequestError('bad_value', `a goal has at most ${goalBytesMax} bytes`, {
      where: '--goal-file',
      found: `${Buffer.byteLength(text)} bytes`,
    });
  }
  return text.trim();
}
