/**
 * The agents that are known by name: how each is started, and what it can be held to. One with an
 * adapter of its own is spoken with (`src/agents`); the others are started as commands, the prompt
 * on stdin, or in the place of a token. `agents:` in a file wins over a row of the same name.
 */
import type { DefinitionValue } from './definition.ts';

type Permissions = DefinitionValue['permissions'];

export interface KnownStart {
  /** Null: by an adapter of its own. */
  readonly command: KnownCommand | null;
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
const asCommand = (command: KnownCommand): KnownStart => ({ command, permissions: ['trusted'] });
const byAdapter = (...permissions: readonly Permissions[]): KnownStart => ({
  command: null,
  permissions,
});
const starts: ReadonlyMap<string, KnownStart> = new Map([
  ['claude', byAdapter('trusted', 'workspace', 'ask')],
  // `codex exec` has nobody to ask.
  ['codex', byAdapter('trusted', 'workspace')],
  ['opencode', byAdapter('trusted', 'workspace', 'ask')],
  ['gemini', byAdapter('trusted', 'workspace', 'ask')],
  ['pi', asCommand({ command: ['pi'], model: long, tail: ['-p', '{prompt_content}'] })],
  [
    'qwen',
    asCommand({
      command: ['qwen', '--approval-mode', 'auto-edit'],
      model: long,
      tail: ['-p', '{prompt_content}'],
    }),
  ],
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

/** `isOwn`: its command stands in the file. */
export function permissionsOf(name: string | undefined, isOwn: boolean): readonly Permissions[] {
  const known = name === undefined || isOwn ? undefined : starts.get(name);
  return known?.permissions ?? ['trusted'];
}

/** Where nothing is said: the narrower of the two that ask nobody, when it is kept to. */
export function usualPermissions(held: readonly Permissions[]): Permissions {
  return held.includes('workspace') ? 'workspace' : 'trusted';
}
