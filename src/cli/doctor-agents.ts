/**
 * Of `pawl doctor`: the agents of this machine, and which signals each was seen to give. What was
 * seen of another version of a program says nothing of this one.
 */
import { driverOf } from '../contract/known-agents.ts';
import { mergeLayers } from '../contract/merge.ts';
import { isMetered } from '../contract/models.ts';
import { nearest } from '../contract/nearest.ts';
import { formatDuration } from '../kernel/duration.ts';
import { ProductError, RequestError } from '../kernel/errors.ts';
import {
  type AgentProbe,
  type AgentSignals,
  nothingSeen,
  type Probed,
} from '../ports/agent-probe.ts';
import type { Detection, InstalledAgent } from '../ports/detection.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { Context } from './command.ts';
import { type Read, settingsHere } from './doctor-project.ts';
import { iso } from './format.ts';
import type { AgentLine } from './views/agents-table.ts';
import type { Section } from './views/doctor.ts';

/** The word after `--probe`; null: every one that is installed. */
export async function agentsSection(
  context: Context,
  wanted: { readonly agent: string | null } | null,
): Promise<Section> {
  const detection = await context.options.detection();
  const probes = await context.options.probes();
  const found = await detection.agents();
  if (wanted !== null) await probeAll(context, probes, { found, wanted });
  const metered = await meteredHere(context);
  const looked = await Promise.all(
    found.map(async (installed) => {
      const { name } = installed.agent;
      const last = await probes.last(name);
      return look(context, { installed, last, isMetered: metered === name });
    }),
  );
  const missing = wanted?.agent != null && !isAmong(found, wanted.agent) ? wanted.agent : null;
  const lines = detection.known.map(({ name, install }): AgentLine => {
    const here = looked.find(({ line }) => line.name === name);
    const next = name === missing ? install : null;
    return here?.line ?? { name, cells: null, notes: [], problems: [], next };
  });
  const checks = looked.map(({ check }) => check);
  if (missing !== null) checks.push(notFound(detection, missing));
  else if (found.length === 0) checks.push(noneFound(context));
  return { name: 'agents', checks, agents: lines };
}

const isAmong = (found: readonly InstalledAgent[], name: string): boolean =>
  found.some(({ agent }) => agent.name === name);

/** @throws RequestError `bad_value`. */
export function requireKnown({ called }: Context, { known }: Detection, name: string): void {
  const names = known.map((agent) => agent.name);
  if (names.includes(name)) return;
  const near = nearest(name, names);
  throw new RequestError('bad_value', `pawl knows no agent "${name}"`, {
    where: '--probe',
    found: name,
    allowed: names.join(', '),
    next: `${called} doctor --probe ${near ?? names[0] ?? ''}`,
  });
}

function notFound({ known }: Detection, name: string): HealthCheck {
  const install = known.find((agent) => agent.name === name)?.install ?? null;
  return { id: `agents.${name}`, state: 'fail', detail: `${name} not found`, next: install };
}

function noneFound({ called }: Context): HealthCheck {
  return {
    id: 'agents.none',
    state: 'warn',
    detail: 'no known agent is installed',
    next: `install one, or give its command: ${called} run "…" --agent-cmd "…"`,
  };
}

interface Probing {
  readonly found: readonly InstalledAgent[];
  readonly wanted: { readonly agent: string | null };
}

/** One after another, so that none is slow because of another. Ctrl-C ends what was started. */
async function probeAll(
  context: Context,
  probes: AgentProbe,
  { found, wanted }: Probing,
): Promise<void> {
  const chosen = found.filter(({ agent }) => (wanted.agent ?? agent.name) === agent.name);
  if (chosen.length === 0) return;
  const stop = new AbortController();
  const unwatch = context.io.onSignal('SIGINT', () => stop.abort());
  context.note([
    `Trying ${chosen.map(({ agent }) => agent.name).join(', ')} against a scripted server on this machine: it costs nothing.`,
  ]);
  try {
    for (const { agent, version } of chosen) {
      const progress = (line: string): void => context.note([`  ${line} …`]);
      if (!stop.signal.aborted)
        await probes.probe({ agent: agent.name, version, signal: stop.signal, progress });
    }
  } finally {
    unwatch();
  }
}

/** The agent of this project whose calls go through a models door; null: none, or not known. */
async function meteredHere(context: Context): Promise<string | null> {
  const read = await settingsOrNull(context);
  if (read?.ok !== true) return null;
  const { value } = mergeLayers(read.settings.layers);
  return isMetered(value) ? (value.roles?.execute?.agent ?? null) : null;
}

/** Null when they cannot be asked for, of which the project's own line tells. */
async function settingsOrNull(context: Context): Promise<Read | null> {
  try {
    return await settingsHere(context);
  } catch (error: unknown) {
    if (error instanceof ProductError) return null;
    throw error;
  }
}

interface Looked {
  readonly line: AgentLine;
  readonly check: HealthCheck;
}

interface Looking {
  readonly installed: InstalledAgent;
  readonly last: Probed | null;
  readonly isMetered: boolean;
}

function look(context: Context, looking: Looking): Looked {
  const { installed, last } = looking;
  const { agent, version, login, notWithinMs } = installed;
  const unsaid = notWithinMs === undefined ? null : `no answer in ${formatDuration(notWithinMs)}`;
  const standing = standingOf(installed, last);
  const signals = standing === 'ok' && last !== null ? last.signals : nothingSeen;
  const driver = driverOf({ agent: agent.name, command: null });
  const shown = { version, login: loginWords(context, installed), driver };
  const words = wordsOf(signals, looking.isMetered);
  const lastProbe = probeWords(context, standing, last);
  const cells = [
    ...[shown.version ?? unsaid ?? unseen, shown.login, shown.driver],
    ...[words.tools, words.usage, words.limits, words.resume, words.cancel, lastProbe],
  ];
  const state = stateOf(installed, standing, signals);
  const problems = standing === 'failed' ? (last?.problems ?? []) : gapsOf(standing, signals, last);
  const next = nextOf(context, installed, standing);
  const signed = problems.map((problem) => `${standing === 'failed' ? '✗' : '!'} ${problem}`);
  const detail = [
    `${agent.name} ${version ?? `(version unknown${unsaid === null ? '' : `: ${unsaid}`})`}, logged in: ${login}`,
    `driver ${shown.driver}, last probe: ${lastProbe === unseen ? 'never' : lastProbe}`,
    ...problems,
  ].join('; ');
  const facts = { ...signals, version, login, driver: shown.driver, probed: probedFacts(last) };
  return {
    line: { name: agent.name, cells, notes: notesOf(signals), problems: signed, next },
    check: { id: `agents.${agent.name}`, state, detail, next, facts },
  };
}

const unseen = '–';

/** `stale`: of another version. */
type Standing = 'never' | 'stale' | 'failed' | 'ok';

function standingOf({ version }: InstalledAgent, last: Probed | null): Standing {
  if (last === null) return 'never';
  if (last.version !== version) return 'stale';
  return last.ok ? 'ok' : 'failed';
}

/** Nobody but the agent can tell whether it is logged in; what was not told is unknown (L-O7). */
function stateOf(
  { version, login }: InstalledAgent,
  standing: Standing,
  signals: AgentSignals,
): HealthCheck['state'] {
  if (standing === 'failed') return 'fail';
  const { tools, metered, resume, limits } = signals;
  if (login === 'no' || [tools, metered, resume, limits].includes('no')) return 'warn';
  const isAllSeen = standing === 'ok' && !Object.values(signals).includes('unknown');
  return isAllSeen && version !== null && login === 'yes' ? 'ok' : 'unknown';
}

function nextOf(
  { called }: Context,
  { agent, login }: InstalledAgent,
  standing: Standing,
): string | null {
  if (login === 'no') return agent.login;
  if (standing === 'ok') return null;
  return `${called} doctor --probe ${agent.name}`;
}

/** A key in the environment is a login that is told apart from one that lies in a file. */
function loginWords({ options }: Context, { agent, login }: InstalledAgent): string {
  const isKey = agent.loginVariables.some((name) => (options.env[name] ?? '') !== '');
  return login === 'yes' && isKey ? 'yes, key' : login;
}

/** What stands with a star in its cells. */
const notesOf = ({ cancel, limits }: AgentSignals): AgentLine['notes'] => [
  ...(cancel === 'unknown' || cancel === 0 ? [] : (['outlives'] as const)),
  ...(limits === 'door' ? (['door'] as const) : []),
];

function wordsOf(signals: AgentSignals, isMeteredHere: boolean) {
  const word = (value: string): string => (value === 'unknown' ? unseen : value);
  const { cancel, limits, usage, metered } = signals;
  return {
    tools: word(signals.tools),
    usage: isMeteredHere && metered === 'yes' ? 'metered' : word(usage),
    limits: limits === 'door' ? 'door*' : word(limits),
    resume: word(signals.resume),
    cancel: cancel === 'unknown' ? unseen : cancel === 0 ? 'clean' : `leaves ${cancel}*`,
  };
}

function probeWords({ io }: Context, standing: Standing, last: Probed | null): string {
  if (last === null) return unseen;
  const [then, now] = [io.local(last.at), io.local(io.now())];
  const isToday = then.year === now.year && then.month === now.month && then.day === now.day;
  const two = (n: number): string => String(n).padStart(2, '0');
  const date = isToday ? 'today' : `${then.year}-${two(then.month)}-${two(then.day)}`;
  if (standing === 'stale') return `${date}, of ${last.version ?? 'an unknown version'}: stale`;
  return standing === 'failed' ? `failed ${date}` : date;
}

function gapsOf(standing: Standing, signals: AgentSignals, last: Probed | null): readonly string[] {
  if (standing !== 'ok' || last === null) return [];
  const gaps = {
    tools: 'it does not tell which tools it runs: a long one looks like silence',
    metered: 'the models door does not count all that it spends',
    resume: 'a second turn does not go on with its session: each turn starts anew',
    limits: 'a limit is not recognised: it looks like a failure',
  };
  const found = Object.entries(gaps).flatMap(([name, says]) =>
    signals[name as keyof typeof gaps] === 'no' ? [says] : [],
  );
  return [...found, ...last.problems];
}

function probedFacts(last: Probed | null) {
  if (last === null) return null;
  return { at: iso(last.at), version: last.version, ok: last.ok, problems: last.problems };
}
