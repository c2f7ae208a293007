/** Whether the agent is there and logged in, before anything is started (UX 1.5, 4.4-1…2; L-O5). */
import { quotedWord } from '../kernel/argv.ts';
import { ConfigError, RequestError } from '../kernel/errors.ts';
import type { Detection, InstalledAgent } from '../ports/detection.ts';
import type { Definition } from '../ports/words.ts';
import type { Context } from './command.ts';
import { agentsWords, installLines } from './views/discovery.ts';

/**
 * @throws RequestError `agent_missing` when the program of an agent of the definition is nowhere on
 * PATH, `agent_login` when nothing on this machine or in the definition is a login of it.
 */
export async function agentInPlace(
  context: Context,
  { roles, env, secrets }: Pick<Definition, 'roles' | 'env' | 'secrets'>,
): Promise<void> {
  // There it is the server, and its workers, that have agents; this machine does none of the work.
  if (context.server !== null) return;
  const detection = await context.options.detection();
  const given = [...Object.keys(env.set), ...Object.keys(secrets)];
  for (const role of [roles.execute, roles.verify]) {
    const program = role === null ? undefined : programOf(role);
    if (role === null || program === undefined || !isPlain(program)) continue;
    if (!(await detection.finds(program))) throw await notInstalled(detection, program);
    const refusal = await notLoggedIn(detection, program, given);
    if (refusal !== null) throw refusal;
  }
}

/** One with an adapter of its own is looked for by its name. */
const programOf = ({ agent, command }: Definition['roles']['execute']): string | undefined =>
  command === null ? agent : command[0];

/** A path is relative to the work tree, which is not there yet; a token is filled in later. */
const isPlain = (program: string): boolean => !/[/\\{]/.test(program);

async function notInstalled(detection: Detection, program: string): Promise<RequestError> {
  const place = (await detection.blocked?.(program)) ?? null;
  if (place !== null) {
    return new RequestError('agent_missing', `the agent "${program}" cannot be run`, {
      found: `${place}, which is not executable`,
      next: `chmod +x ${quotedWord(place)}`,
    });
  }
  const agents = await detection.agents();
  const row = detection.known.find(({ name }) => name === program);
  const other = agents[0]?.agent.name;
  const choices = [
    ...(other === undefined ? [] : [`pawl run … --agent ${other}`]),
    row?.install ?? 'install it, or name another: --agent-cmd "…"',
    ...(other === undefined ? ['pawl demo'] : []),
  ];
  return new RequestError('agent_missing', `the agent "${program}" is not installed`, {
    found: foundWords(detection, versionsOf(agents)),
    next: choices.join('        or  '),
  });
}

const versionsOf = (agents: readonly InstalledAgent[]): string =>
  agents.length === 0
    ? 'no known agent'
    : agents.map(({ agent, version }) => `${agent.name} ${version ?? '–'}`).join(', ');

const foundWords = ({ searched }: Detection, agents: string): string =>
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
      found: foundWords(detection, 'none'),
      allowed: installLines(detection.known).join('\n'),
      next: '--agent-cmd "…" takes any command   or  install one of these   or  pawl demo',
    });
  }
  return new RequestError('agent_missing', 'no agent is named', {
    found: foundWords(detection, agentsWords(agents)),
    next: `--agent ${first.agent.name}   or  pawl init`,
  });
}
