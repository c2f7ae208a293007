/** Whether the agent is there and logged in, before anything is started (UX 1.5, 4.4-1…2; L-O5). */
import { delimiter, isAbsolute } from 'node:path';
import { quotedWord } from '../kernel/argv.ts';
import { ConfigError, RequestError } from '../kernel/errors.ts';
import { lanePath } from '../kernel/starter-environment.ts';
import type { Detection, InstalledAgent } from '../ports/detection.ts';
import type { Definition } from '../ports/words.ts';
import type { Context } from './command.ts';
import { agentsWords, installLines } from './views/discovery.ts';

type Role = Definition['roles']['execute'];

/**
 * @throws RequestError `agent_missing` when the program of an agent of the definition is nowhere on
 * the PATH of its lanes, or not where its path says; `agent_login` when nothing on this machine or
 * in the definition is a login of it.
 */
export async function agentInPlace(context: Context, definition: Judged): Promise<void> {
  // There it is the server, and its workers, that have agents; this machine does none of the work.
  if (context.server !== null) return;
  const { execute, verify } = definition.roles;
  for (const role of [execute, ...(verify === null ? [] : [verify])]) {
    const labels = [...(definition.labels ?? []), ...(role.labels ?? [])];
    // Labels are had by workers alone.
    if (labels.length === 0) await roleInPlace(context, role, definition);
  }
}

async function roleInPlace(
  context: Context,
  role: Role,
  { env, secrets }: Pick<Judged, 'env' | 'secrets'>,
): Promise<void> {
  const program = programOf(role);
  if (program === undefined || !isPlain(program)) return;
  const detection = await context.options.detection();
  const path = lanePath(env);
  if (!(await detection.finds(program, path))) {
    if (await isOnWorker(context, role)) return;
    throw await notInstalled(detection, { program, path, where: whereOf(context, role) });
  }
  const given = [...Object.keys(env.set), ...Object.keys(secrets)];
  const refusal = await notLoggedIn(detection, program, given);
  if (refusal !== null) throw refusal;
}

type Judged = Pick<Definition, 'roles' | 'env' | 'secrets' | 'labels'>;

/** One with an adapter of its own is looked for by its name. */
const programOf = ({ agent, command }: Role): string | undefined =>
  command === null ? agent : command[0];

/** A path is relative to the work tree, which is not there yet; a token is filled in later. */
const isPlain = (program: string): boolean =>
  !program.includes('{') && (isAbsolute(program) || !/[/\\]/.test(program));

/** Of this store, and there: it may take the lane, with what its own machine has. */
async function isOnWorker({ options }: Context, { agent, command }: Role): Promise<boolean> {
  const needed = `agent:${command === null ? agent : 'command'}`;
  const workers = await (await options.worker.registry()).list();
  return workers.some(
    ({ state, capabilities = [] }) => state === 'enrolled' && capabilities.includes(needed),
  );
}

/** Where its command was given; null: it has none. */
function whereOf({ given }: Context, { agent, command, protocol }: Role): string | null {
  if (command === null) return null;
  const isTyped = given.text('agent-cmd') !== null;
  return isTyped ? '--agent-cmd' : `agents.${agent}.${protocol ?? 'command'}`;
}

interface NotThere {
  readonly program: string;
  readonly path: string | undefined;
  readonly where: string | null;
}

async function notInstalled(
  detection: Detection,
  { program, path, where }: NotThere,
): Promise<RequestError> {
  const at = where === null ? {} : { where };
  const place = (await detection.blocked?.(program, path)) ?? null;
  if (place !== null) {
    return new RequestError('agent_missing', `the agent "${program}" cannot be run`, {
      ...at,
      found: `${place}, which is not executable`,
      next: `chmod +x ${quotedWord(place)}`,
    });
  }
  if (isAbsolute(program)) {
    return new RequestError('agent_missing', `there is no program "${program}"`, {
      ...at,
      found: 'no file at that path',
      allowed: 'a program by its path, or by its name where it is on PATH',
      next: 'pawl run … --agent-cmd "…"   or  pawl doctor  (it shows the agents that are here)',
    });
  }
  const agents = await detection.agents();
  const row = detection.known.find(({ name }) => name === program) ?? null;
  const other = agents[0]?.agent.name;
  const choices = [
    ...(other === undefined ? [] : [`pawl run … --agent ${other}`]),
    row?.install ?? 'install it, or name another: --agent-cmd "…"',
    ...(other === undefined ? ['pawl demo'] : []),
  ];
  return new RequestError('agent_missing', `the agent "${program}" is not installed`, {
    ...(row === null ? at : {}),
    found: foundWords(path?.split(delimiter) ?? detection.searched, versionsOf(agents)),
    next: choices.join('        or  '),
  });
}

const versionsOf = (agents: readonly InstalledAgent[]): string =>
  agents.length === 0
    ? 'no known agent'
    : agents.map(({ agent, version }) => `${agent.name} ${version ?? '–'}`).join(', ');

const foundWords = (searched: readonly string[], agents: string): string =>
  `${agents}     (looked on PATH: ${searched.slice(0, 6).join(', ')}${searched.length > 6 ? ', …' : ''})`;

/** `given`: names of the variables that the definition sets, of which one may be the key. */
async function notLoggedIn(
  detection: Detection,
  program: string,
  given: readonly string[],
): Promise<RequestError | null> {
  const row = detection.known.find(({ name }) => name === program);
  if (row === undefined || (await detection.login(program)) !== 'no') return null;
  const { loginFiles, loginVariables } = row;
  if (loginVariables.some((name) => given.includes(name))) return null;
  const [key] = loginVariables;
  const places = [...loginFiles.map((path) => `~/${path}`), ...loginVariables];
  return new RequestError('agent_login', `${program} is installed but not logged in`, {
    found: `none of ${places.join(', ')}`,
    next: `${row.login}${key === undefined ? '' : `      or  a key with secrets.${key}`}`,
  });
}

/** Gives the problem that no agent is named the agents that are there. */
export async function withInstalled<T>(context: Context, define: () => T): Promise<T> {
  try {
    return define();
  } catch (error: unknown) {
    if (!(error instanceof ConfigError)) throw error;
    const detection = await context.options.detection();
    const [first, ...rest] = await Promise.all(
      error.problems.map((problem) => (isNobody(problem) ? nobody(detection) : problem)),
    );
    throw first === undefined ? error : new ConfigError([first, ...rest]);
  }
}

const isNobody = ({ code, message }: RequestError): boolean =>
  code === 'agent_missing' && message === 'no agent is named';

/** @throws nothing: answers with the error. */
export async function nobody(detection: Detection): Promise<RequestError> {
  const agents = await detection.agents();
  const [first] = agents;
  if (first === undefined) {
    return new RequestError('agent_missing', 'no agent is named, and no known one is installed', {
      found: foundWords(detection.searched, 'none'),
      allowed: installLines(detection.known).join('\n'),
      next: '--agent-cmd "…" takes any command   or  install one of these   or  pawl demo',
    });
  }
  return new RequestError('agent_missing', 'no agent is named', {
    found: foundWords(detection.searched, agentsWords(agents)),
    next: `--agent ${first.agent.name}   or  pawl init`,
  });
}
