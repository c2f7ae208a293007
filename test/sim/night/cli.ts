/** The command line itself, in this process, over the store of the night. */
import type { CliOptions } from '../../../src/cli/composition.ts';
import { runCli } from '../../../src/cli/main.ts';
import { type ScriptedIo, scriptedIo } from '../../support/scripted-io.ts';
import type { Night } from './world.ts';

export interface Said {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** Typed by a human in a terminal of that width, who answers a card with `key`. */
export async function type(
  here: Night,
  argv: readonly string[],
  { columns = 160, key = null }: { readonly columns?: number; readonly key?: string | null } = {},
): Promise<Said> {
  const io = pressing(scriptedIo({ now: here.wall(), columns, isTerminal: true }), key);
  const options: Partial<CliOptions> = {
    ...{
      argv,
      io,
      env: { HOME: here.home, NO_COLOR: '1', LANG: 'C.UTF-8' },
      cwd: here.projects.places.dates.root,
    },
    ...{ version: '0.1.0', home: here.home, called: 'pawl' },
    userConfigPath: `${here.home}/none.yaml`,
    connect: async () => here.client,
    workspace: async () => here.workspace,
    principal: async () => ({
      ...{ stdinIsTerminal: true, stdoutIsTerminal: true, ancestry: 'clean' },
      ...{ foundName: null, foundVariable: null, operatorToken: null, login: 'me' },
    }),
    trouble: async () => [],
    reportBug: async (error) => String(error instanceof Error ? error.stack : error),
  };
  const exit = await runCli(options as CliOptions);
  return { exit, out: io.written(), err: io.errors() };
}

/** The key is pressed as soon as somebody reads keys. */
function pressing(io: ScriptedIo, key: string | null): ScriptedIo {
  if (key === null) return io;
  return {
    ...io,
    onKey: (listener) => {
      queueMicrotask(() => io.press(key));
      return io.onKey(listener);
    },
  };
}
