/**
 * How the agents that are known by name are started as commands: the prompt on stdin, or in the
 * place of a token. `agents:` in a file wins over a row of the same name.
 */

export interface KnownCommand {
  readonly command: readonly string[];
  /** What names a model; put before the last words of the command. */
  readonly model: readonly string[];
  /** Words at the end of the command that a flag must not follow. */
  readonly tail: readonly string[];
}

const long = ['--model', '{model}'];

export const knownCommands: ReadonlyMap<string, KnownCommand> = new Map([
  [
    'claude',
    { command: ['claude', '-p', '--permission-mode', 'acceptEdits'], model: long, tail: [] },
  ],
  [
    'codex',
    { command: ['codex', 'exec', '--sandbox', 'workspace-write'], model: long, tail: ['-'] },
  ],
  ['opencode', { command: ['opencode', 'run'], model: long, tail: ['{prompt_content}'] }],
  [
    'gemini',
    {
      command: ['gemini', '--approval-mode', 'auto_edit'],
      model: long,
      tail: ['-p', '{prompt_content}'],
    },
  ],
  ['pi', { command: ['pi'], model: long, tail: ['-p', '{prompt_content}'] }],
  [
    'qwen',
    {
      command: ['qwen', '--approval-mode', 'auto-edit'],
      model: long,
      tail: ['-p', '{prompt_content}'],
    },
  ],
  [
    'copilot',
    {
      command: ['copilot', '--allow-tool', 'write'],
      model: long,
      tail: ['-p', '{prompt_content}'],
    },
  ],
]);

/** Null when no agent of that name is known. */
export function knownCommand(name: string, hasModel = false): readonly string[] | null {
  const known = knownCommands.get(name);
  if (known === undefined) return null;
  return [...known.command, ...(hasModel ? known.model : []), ...known.tail];
}
