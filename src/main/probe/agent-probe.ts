/**
 * One canned exchange of an installed agent with the scripted model server: no network of ours, no
 * key, nothing of the user's. All of it lies in one temporary folder and is gone afterwards.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { adapterOf } from '../../agents/adapters.ts';
import type { Role } from '../../domain/definition/definition.ts';
import { nodeClock } from '../../host/clock.ts';
import { nodeIds } from '../../host/ids.ts';
import { nodeProcesses } from '../../host/processes.ts';
import type { Adapter } from '../../ports/agent.ts';
import type { AgentProbe, Probed, ProbeRequest } from '../../ports/agent-probe.ts';
import type { OpenLaneModelsDoor } from '../../ports/models-door.ts';
import type { AgentProfile } from '../../testing/agents/outcome.ts';
import { type SeenSignals, seenSignals } from '../../testing/agents/signals.ts';
import { trialOf } from '../../testing/agents/trial.ts';
import { laneModelsDoor } from '../models-door.ts';
import type { Surroundings } from '../surroundings.ts';
import { keepProbed, lastProbed } from './kept.ts';
import { type ProbeLanes, type ProbeLanesOptions, probeLanes } from './lanes.ts';
import { openRoad } from './open-road.ts';

/** Of one turn; an agent that tries a limit again and again is not waited for. */
const turnMsMax = 90_000;
const limitMsMax = 45_000;
/** Of all turns of one agent. */
const probeMsMax = 6 * 60_000;

type Around = Pick<Surroundings, 'env' | 'home' | 'temporary'>;

/** `adapter`: for tests, in place of the ones that there are. */
export function agentProbe(
  around: Around,
  adapter: (role: Role) => Adapter = adapterOf,
): AgentProbe {
  return {
    last: (agent) => lastProbed(around.home, agent),
    async probe(request) {
      const probed = await tried(around, adapter, request);
      if (!request.signal.aborted) keepProbed(around.home, probed);
      return probed;
    },
  };
}

async function tried(
  around: Around,
  adapter: (role: Role) => Adapter,
  request: ProbeRequest,
): Promise<Probed> {
  const clock = nodeClock();
  const { agent, version, progress } = request;
  const directory = realpathSync(mkdtempSync(join(around.temporary, 'pawl-probe-')));
  const bound = boundOf(request);
  try {
    const lanes = lanesIn(directory, { ...request, ...around, adapter, signal: bound.signal });
    const profile = profileOf(agent);
    const today = new Date(clock.now());
    const suite = join(directory, 'suite');
    mkdirSync(suite);
    const trial = (of: ProbeLanes, deadlineMs: number) =>
      trialOf(profile, of, { directory: suite, today, deadlineMs });
    const seen: SeenSignals = await seenSignals({
      trial: trial(lanes.door, turnMsMax),
      direct: trial(lanes.direct, limitMsMax),
      outlived: () => lanes.door.outlived(),
      progress: (part) => progress(`${agent}: ${part}`),
    });
    // Of what detection found and nothing else: it is what the next look compares with.
    return { ...seen, agent, at: clock.now(), version };
  } finally {
    bound.end();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Aborts when its user does, or when the time is up. */
function boundOf({ signal }: ProbeRequest) {
  const over = new AbortController();
  const abort = () => over.abort(new Error('it was called off'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  const late = () => over.abort(new Error(`${probeMsMax / 60_000} minutes were up`));
  const timer = setTimeout(late, probeMsMax);
  return {
    signal: over.signal,
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}

interface LanesRequest extends Around, Pick<ProbeLanesOptions, 'adapter' | 'signal' | 'version'> {
  readonly agent: string;
}

function lanesIn(directory: string, request: LanesRequest) {
  const { adapter, signal, version, env } = request;
  const clock = nodeClock();
  const path = env['PATH'];
  const stateDirectory = join(directory, 'state');
  const common = {
    ...{ adapter, clock, env, signal, version, ids: nodeIds() },
    role: { agent: request.agent, model: modelOf(request.agent) },
    processes: nodeProcesses({ stateDirectory, path }),
    visible: nodeProcesses({ stateDirectory, path, forceRung: 'marker' }),
  };
  const of = (name: string, modelsDoor: OpenLaneModelsDoor) =>
    probeLanes({ ...common, modelsDoor, directory: join(directory, name) });
  return { door: of('door', laneModelsDoor(clock)), direct: of('direct', openRoad) };
}

/** Which tools an agent offers depends on the model; the others take what they take. */
const models: Readonly<Record<string, string>> = {
  claude: 'claude-sonnet-4-5',
  codex: 'gpt-5',
  opencode: 'gpt-5',
  gemini: 'gemini-2.5-pro',
  pi: 'gpt-5',
  qwen: 'gpt-5',
  copilot: 'gpt-5',
};
const modelOf = (agent: string): string | null => models[agent] ?? null;

/** Nothing is asked of it; only what a trial must know to be fair. */
function profileOf(name: string): AgentProfile {
  const quiet = { quietEnv: {}, quietFiles: {}, quietWords: [], homeVariables: [] };
  // A session that is loaded in the minute in which it began is lost (research/acp.md 4.3).
  return { ...quiet, name, pinned: null, impossible: {}, restsUntilNextMinute: name === 'gemini' };
}
