/**
 * The interview of `pawl init` (UX 1.2): only what `pawl.yaml` does not say yet is asked. Where
 * nobody can answer, the answers in brackets are taken.
 */
import type { DefinitionFile } from '../contract/definition-file.ts';
import { parseDuration } from '../contract/duration.ts';
import { permissionsOf } from '../contract/known-agents.ts';
import { heldBy } from '../contract/roles.ts';
import { splitArgv } from '../kernel/argv.ts';
import { RequestError } from '../kernel/errors.ts';
import { placeholders, unknownPlaceholders } from '../kernel/placeholders.ts';
import type { Detection, InstalledAgent, KnownAgent } from '../ports/detection.ts';
import { nobody } from './agent-in-place.ts';
import { ask, canAsk } from './ask.ts';
import { askForChecks, type ChosenCheck } from './chosen-checks.ts';
import type { Context } from './command.ts';
import type { Discovery } from './discovery.ts';
import {
  askForPermissions,
  askWhomToTell,
  type NotifyTo,
  type Permissions,
  usualPlace,
} from './init-policies.ts';
import { installLines } from './views/discovery.ts';

/** What goes into the file; null or empty: nothing is added. */
export interface Answers {
  readonly checks: readonly ChosenCheck[];
  readonly setup: string | null;
  readonly agent: AgentAnswer | null;
  readonly permissions: Permissions | null;
  readonly brakes: NonNullable<DefinitionFile['brakes']> | null;
  readonly notify: NotifyTo;
  readonly copy: readonly string[];
}
export interface AgentAnswer {
  readonly name: string;
  /** Null: its name says how it is started. */
  readonly command: readonly string[] | null;
}

export interface Asked {
  readonly found: Discovery;
  readonly agents: readonly InstalledAgent[];
  /** What the file says already, in its long form. */
  readonly known: DefinitionFile;
  readonly isInteractive: boolean;
}

/** @throws RequestError `no_answer`, `agent_missing`, `bad_value`. */
export async function interview(context: Context, asked: Asked): Promise<Answers> {
  const { known } = asked;
  const setup = setupAnswer(context, asked);
  const checks = known.criteria === undefined ? await checksAnswer(context, asked) : [];
  const isNamed = known.roles?.execute?.agent !== undefined;
  const agent = isNamed ? null : await agentAnswer(context, asked);
  return {
    ...{ setup, checks, agent },
    permissions:
      known.permissions === undefined ? await permissionsAnswer(context, asked, agent) : null,
    brakes: known.brakes === undefined ? await brakesAnswer(context, asked) : null,
    notify: known.notify === undefined ? await notifyAnswer(context, asked) : [],
    copy: known.workspace?.copy === undefined ? await copyAnswer(context, asked) : [],
  };
}

export function isInteractive(context: Context): boolean {
  return canAsk(context) && !context.given.has('print');
}

/** Shown among the facts, so it is not asked. Without git the user's own folder is prepared. */
function setupAnswer({ given }: Context, { known, found }: Asked): string | null {
  if (known.workspace?.setup?.run !== undefined) return null;
  const told = given.text('setup');
  if (told !== null) return told;
  return found.checkout.git ? (found.detected.setup?.command ?? null) : null;
}

async function checksAnswer(context: Context, { found, isInteractive: asks }: Asked) {
  const told = context.given.list('check');
  if (told.length > 0) return told.map((test) => ({ test }));
  const { checks } = found.detected;
  return asks
    ? await askForChecks(context, checks)
    : checks.map(({ kind, command }) => ({ [kind]: command }));
}

async function agentAnswer(context: Context, asked: Asked): Promise<AgentAnswer> {
  const { given } = context;
  const detection = await context.options.detection();
  const line = given.text('agent-cmd');
  if (line !== null) return commandAgent(line);
  const name = given.text('agent');
  if (name !== null) return namedAgent(detection, name);
  if (!asked.isInteractive) {
    const [first] = asked.agents;
    if (first === undefined) throw await nobody(detection);
    return agentOf(first.agent);
  }
  return await askForAgent(context, detection, asked.agents);
}

async function askForAgent(
  context: Context,
  detection: Detection,
  agents: readonly InstalledAgent[],
): Promise<AgentAnswer> {
  const [first] = agents;
  if (first === undefined) {
    const known = installLines(detection.known).map((row) => `    ${row}`);
    context.print([
      'No known agent is installed. Any command can be one; these are known:',
      ...known,
    ]);
  }
  return await ask(context, {
    text: 'Which agent does the work?',
    bracket: first?.agent.name ?? null,
    help: [
      ...agents.map(({ agent }) => `    ${agent.name}  is spoken with in its own protocol`),
      '    a command  any other; it gets the prompt on stdin, or in the place of {prompt_content}',
    ],
    read: (answer) => readAgent(answer, detection, agents),
  });
}

function readAgent(
  answer: string,
  detection: Detection,
  agents: readonly InstalledAgent[],
): { readonly value: AgentAnswer } | string {
  if (answer === '') return 'type the name of one of them, or a command';
  const installed = agents.find(({ agent }) => agent.name === answer);
  if (installed !== undefined) return { value: agentOf(installed.agent) };
  const known = detection.known.find(({ name }) => name === answer);
  if (known !== undefined) return `${known.name} is not installed: ${known.install}`;
  const split = splitArgv(answer);
  if (!split.ok) return 'that cannot be split into words: a quote is not closed';
  const [unknown] = unknownPlaceholders(split.value);
  return unknown === undefined
    ? { value: commandAgent(answer) }
    : `{${unknown}} is none of ${placeholders.map((name) => `{${name}}`).join(' ')}`;
}

function namedAgent(detection: Detection, name: string): AgentAnswer {
  const row = detection.known.find((agent) => agent.name === name);
  if (row !== undefined) return agentOf(row);
  throw new RequestError('bad_value', `"${name}" is no agent that pawl knows`, {
    where: '--agent',
    allowed: detection.known.map((agent) => agent.name).join(', '),
    next: '--agent-cmd "…" takes any command',
  });
}

const agentOf = ({ name }: KnownAgent): AgentAnswer => ({ name, command: null });

function commandAgent(line: string): AgentAnswer {
  const split = splitArgv(line);
  if (!split.ok) {
    throw new RequestError('bad_value', '--agent-cmd cannot be split into words', {
      where: '--agent-cmd',
      found: line,
    });
  }
  const [unknown] = unknownPlaceholders(split.value);
  if (unknown !== undefined) {
    throw new RequestError('bad_value', `{${unknown}} is no token that pawl fills in`, {
      where: '--agent-cmd',
      found: line,
      allowed: placeholders.map((name) => `{${name}}`).join(' '),
    });
  }
  const program = split.value[0]?.split(/[\\/]/).at(-1) ?? '';
  const name = program.replace(/[^\w.-]/g, '-');
  return { name: name === '' ? 'mine' : name, command: split.value };
}

/** Where nobody is asked it is shown among the facts, and the default stays unwritten. */
async function permissionsAnswer(
  context: Context,
  { known, isInteractive: asks }: Asked,
  agent: AgentAnswer | null,
): Promise<Permissions | null> {
  return asks ? await askForPermissions(context, heldByAnswer(known, agent)) : null;
}

/** What the agent can be held to that was chosen now, or that the file names. */
export function heldByAnswer(
  known: DefinitionFile,
  agent: AgentAnswer | null,
): readonly Permissions[] {
  return agent === null ? heldBy(known) : permissionsOf(agent.name, agent.command !== null);
}

async function notifyAnswer(context: Context, { isInteractive: asks }: Asked): Promise<NotifyTo> {
  if (asks) return await askWhomToTell(context);
  return usualPlace(context) === 'desktop' ? ['desktop'] : [];
}

const usualBrakes = '$20, 5 attempts, 8h of work';

async function brakesAnswer(context: Context, { isInteractive: asks }: Asked) {
  const usual = readBrakes(usualBrakes);
  if (!asks) return typeof usual === 'string' ? null : usual.value;
  return await ask(context, {
    text: 'Spend at most, per run?',
    bracket: usualBrakes,
    help: [
      '    $20         money, where the agent tells what it costs',
      '    5 attempts  tries of the whole goal, each verified',
      '    8h of work  waits for limits and for you do not count',
    ],
    read: readBrakes,
  });
}

/** At least one of the three; what is left out keeps its default. */
export function readBrakes(
  answer: string,
): { readonly value: NonNullable<DefinitionFile['brakes']> } | string {
  const value: NonNullable<DefinitionFile['brakes']> = {};
  for (const part of answer.split(',').map((text) => text.trim())) {
    const money = /^\$(\d{1,6}(?:\.\d{1,2})?)$/.exec(part)?.[1];
    const attempts = /^(\d{1,3})(?: attempts?)?$/.exec(part)?.[1];
    const time = /^(\S+?)(?: of work)?$/.exec(part)?.[1] ?? '';
    if (money !== undefined) value.cost = Number(money);
    else if (attempts !== undefined) value.attempts = Number(attempts);
    else if (parseDuration(time) !== null) value.time = time;
    else return `"${part}" is none of: $20, 5 attempts, 8h of work`;
  }
  const attempts = value.attempts ?? 1;
  return attempts >= 1 && attempts <= 100 ? { value } : 'attempts are 1 to 100';
}

async function copyAnswer(
  context: Context,
  { found, isInteractive: asks }: Asked,
): Promise<readonly string[]> {
  const { leftBehind } = found;
  if (leftBehind.length === 0 || !asks) return leftBehind;
  return await ask(context, {
    text: `Bring ${leftBehind.join(', ')} along?`,
    bracket: 'yes',
    help: ['    yes  copied into the worktree and the clean checkout; their values are redacted'],
    read: (answer) => {
      if (/^y(?:es)?$/i.test(answer)) return { value: leftBehind };
      return /^no?$/i.test(answer) ? { value: [] } : 'yes or no';
    },
  });
}
