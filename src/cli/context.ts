/** One command's session: what it opens on first use, and closes at the end whatever happened. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { RequestError } from '../kernel/errors.ts';
import type { Client, RunView } from '../ports/client.ts';
import type { Principal } from '../ports/words.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Context } from './command.ts';
import type { CliOptions } from './composition.ts';
import { harmless } from './harmless.ts';
import type { Arguments } from './parse.ts';
import { humanRequired, judgeGate, judgePrincipal, type PrincipalFacts } from './principal.ts';
import { serverOf } from './server.ts';
import { paint, styleOf } from './style.ts';

export interface Session {
  readonly context: Context;
  close(): Promise<void>;
}

export function openSession(
  options: CliOptions,
  given: Arguments,
  commands: Context['commands'],
): Session {
  const { io } = options;
  const style = styleOf(io, options.env, given.text('color') ?? 'auto');
  const directory = realPath(folderOf(options, given.text('project')));
  const server = serverOf(options, given);
  const client = once(() => options.connect(server));
  const workspace = once(options.workspace);
  const facts = once(() => options.principal(server));
  const projectRoot = once(async () => rootOf(await workspace.get(), directory));
  const isJson = given.has('json');
  const isQuiet = given.has('quiet');
  const print = (lines: readonly string[]): void => {
    if (!isJson) for (const line of lines) io.stdout.write(`${paint(harmless(line), style)}\n`);
  };
  const context: Context = {
    options,
    io,
    given,
    style,
    isJson,
    isQuiet,
    directory,
    called: options.called,
    server,
    commands,
    client: client.get,
    workspace: workspace.get,
    projectRoot: projectRoot.get,
    projectFilter: async () => (given.has('all-projects') ? null : await projectRoot.get()),
    find: (reference) => find({ client: client.get, projectRoot: projectRoot.get }, reference),
    principal: async () => judgePrincipal(await facts.get()).principal,
    human: async (verb, run, line, name = verb) =>
      human({ client: client.get, facts: facts.get }, { verb, run, line, name }),
    print,
    note: (lines) => {
      if (isQuiet || isJson) return;
      for (const line of lines) io.stderr.write(`${paint(harmless(line), style)}\n`);
    },
    json: (value) => {
      io.stdout.write(`${JSON.stringify(value)}\n`);
    },
  };
  return {
    context,
    close: async () => {
      const opened = client.opened();
      if (opened !== null) await (await opened).close();
    },
  };
}

/** @throws RequestError `bad_value` where a folder is named that is none. */
function folderOf({ cwd, io }: CliOptions, named: string | null): string {
  const path = resolve(cwd, named ?? '.');
  if (named === null || io.isFolder(path)) return path;
  throw new RequestError('bad_value', `"${named}" is no folder`, {
    where: '--project',
    allowed: 'a folder that is there',
    next: 'pawl status -A  shows the runs of every project',
  });
}

/** Git answers with real paths, so what is compared with them must be one too. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error: unknown) {
    // What is not there is answered by whoever looks at it, with a better message.
    if (error instanceof Error && 'code' in error) return path;
    throw error;
  }
}

interface Once<T> {
  get(): Promise<T>;
  opened(): Promise<T> | null;
}
function once<T>(make: () => Promise<T>): Once<T> {
  let made: Promise<T> | null = null;
  return {
    get: () => {
      made ??= make();
      return made;
    },
    opened: () => made,
  };
}

async function rootOf(workspace: Workspace, directory: string): Promise<string> {
  return (await workspace.inspect(directory)).root;
}

/** `@last` and names mean this project; an id means the run wherever it is. */
async function find(
  session: { readonly client: () => Promise<Client>; readonly projectRoot: () => Promise<string> },
  reference: string,
): Promise<RunView> {
  const client = await session.client();
  const project = reference === '@last' ? await session.projectRoot() : null;
  return client.find({ text: reference, project });
}

/**
 * What is about no run (`prune`) is recorded on the run whose lane typed it, if this store knows
 * it.
 */
async function runOfLane(client: Client, { kind, actor }: Principal): Promise<RunView | null> {
  const at = actor.lastIndexOf('.');
  if (kind !== 'lane' || at < 1) return null;
  try {
    return await client.find({ text: actor.slice(0, at), project: null });
  } catch (error: unknown) {
    if (error instanceof RequestError) return null;
    throw error;
  }
}

async function human(
  session: {
    readonly client: () => Promise<Client>;
    readonly facts: () => Promise<PrincipalFacts>;
  },
  gate: {
    readonly verb: string;
    readonly run: RunView | null;
    readonly line: string;
    readonly name: string;
  },
): Promise<Principal> {
  const answer = judgeGate(await session.facts(), gate.verb);
  if (answer.human) return answer.principal;
  const client = await session.client();
  const run = gate.run ?? (await runOfLane(client, answer.principal));
  if (run !== null) await client.recordRefusal(run.id, gate.verb, answer.principal);
  throw humanRequired(gate.name, answer.found, gate.line);
}
