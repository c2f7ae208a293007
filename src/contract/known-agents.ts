/**
 * The agents that are known by name: how each is started, and what it can be held to. One with an
 * adapter of its own is spoken with (`src/agents`); the others are started as commands, the prompt
 * on stdin, or in the place of a token. `agents:` in a file wins over a row of the same name.
 */
import type { DefinitionValue, RoleValue } from './definition.ts';

type Permissions = DefinitionValue['permissions'];

/** The Agent Client Protocol, a stream of JSON of its own, a terminal, or nothing but its files. */
type Driver = 'acp' | 'json' | 'pty' | 'command';

export interface KnownStart {
  /** Null: by an adapter of its own. */
  readonly command: KnownCommand | null;
  /** How it is driven. */
  readonly driver: Driver;
  /** What it keeps to when it is told so; `trusted` is always among them. */
  readonly permissions: readonly Permissions[];
}

export interface KnownCommand {
  readonly command: readonly string[];
  /** What names a model; put before the last words of the command. */
  readonly model: readonly string[];
  /** Words at the end of the command that a flag must not follow. */
  readonly tail: readonly string[];
}

const long = ['--model', '{model}'];

/** A command is never asked, so nothing narrower can be promised of it. */
const asCommand = (command: KnownCommand): KnownStart => ({
  command,
  driver: 'command',
  permissions: ['trusted'],
});
const byAdapter = (driver: Driver, ...permissions: readonly Permissions[]): KnownStart => ({
  command: null,
  driver,
  permissions,
});
const starts: ReadonlyMap<string, KnownStart> = new Map([
  ['claude', byAdapter('json', 'trusted', 'workspace', 'ask')],
  // `codex exec` has nobody to ask.
  ['codex', byAdapter('json', 'trusted', 'workspace')],
  ['opencode', byAdapter('acp', 'trusted', 'workspace', 'ask')],
  ['gemini', byAdapter('acp', 'trusted', 'workspace', 'ask')],
  ['pi', asCommand({ command: ['pi'], model: long, tail: ['-p', '{prompt_content}'] })],
  ['qwen', byAdapter('acp', 'trusted', 'workspace', 'ask')],
  [
    'copilot',
    asCommand({
      command: ['copilot', '--allow-tool', 'write'],
      model: long,
      tail: ['-p', '{prompt_content}'],
    }),
  ],
]);

export const knownNames: readonly string[] = [...starts.keys()];

export function isKnown(name: string): boolean {
  return starts.has(name);
}

/** Null when no agent of that name is known as a command. */
export function knownCommand(name: string, hasModel = false): readonly string[] | null {
  const command = starts.get(name)?.command ?? null;
  if (command === null) return null;
  return [...command.command, ...(hasModel ? command.model : []), ...command.tail];
}

/** How the agent of a role is driven. */
export function driverOf({
  agent,
  command,
  protocol,
}: Pick<RoleValue, 'agent' | 'command' | 'protocol'>): Driver {
  if (command !== null) return protocol ?? 'command';
  return starts.get(agent)?.driver ?? 'command';
}

/** `isOwn`: its command stands in the file. */
export function permissionsOf(name: string | undefined, isOwn: boolean): readonly Permissions[] {
  const known = name === undefined || isOwn ? undefined : starts.get(name);
  return known?.permissions ?? ['trusted'];
}

/** Where nothing is said: the narrower of the two that ask nobody, when it is kept to. */
export function usualPermissions(held: readonly Permissions[]): Permissions {
  return held.includes('workspace') ? 'workspace' : 'trusted';
}
