/**
 * Turns of an agent for a trial, as a lane host runs them: real processes in their containment, the
 * adapter, a models door in front of the scripted server, a home of the agent's own. Everything of
 * it lies in one folder; the user's home is not the agent's, and none of his keys reach it.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Role } from '../../domain/definition/definition.ts';
import type { RunId } from '../../domain/ids.ts';
import { gitWorkspace } from '../../git/workspace.ts';
import { markedBy } from '../../host/containment/machine-scan.ts';
import { laneHost } from '../../host/lane-host.ts';
import { commandOf } from '../../host/process-table.ts';
import type { Adapter } from '../../ports/agent.ts';
import type { Ids } from '../../ports/ids.ts';
import type { OpenLaneModelsDoor } from '../../ports/models-door.ts';
import { diskArtifacts } from '../../store/artifacts/disk-artifacts.ts';
import type {
  AgentLanes,
  Conversation,
  SeenTurn,
  TurnRequest,
} from '../../testing/agents/lanes.ts';
import { probeDispatch, probePlane } from './dispatch.ts';
import { type WatchedMeans, watchedTurn } from './watched-turn.ts';

export interface ProbeLanesOptions extends WatchedMeans {
  /** A folder of the probe's own, which whoever made it removes. */
  readonly directory: string;
  readonly role: Pick<Role, 'agent' | 'model'>;
  readonly adapter: (role: Role) => Adapter;
  readonly modelsDoor: OpenLaneModelsDoor;
  readonly ids: Ids;
  /** The user's own; only what every lane is given of it reaches the agent. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the program said of its version when it was found. */
  readonly version: string | null;
  /** Ends the turn that is under way; no further one is begun. */
  readonly signal: AbortSignal;
}

export interface ProbeLanes extends AgentLanes {
  /** Of the tool of the last turn that was cancelled: what outlived it; null: not seen. */
  outlived(): number | null;
}

const keyVariables = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];
/** What the door holds in place of a key; the scripted server asks for none. */
const probeKey = { PAWL_PROBE_KEY: 'no-key-is-needed-here' };

export function probeLanes(options: ProbeLanesOptions): ProbeLanes {
  const folder = (...names: readonly string[]): string => {
    const path = join(options.directory, ...names);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const userHome = folder('user');
  let outlived: number | null = null;
  let count = 0;
  return {
    operator: { home: userHome, secrets: [] },
    version: async () => options.version,
    async conversation() {
      count += 1;
      const name = `conversation-${count}`;
      const run = options.ids.run();
      const places: Places = {
        run,
        userHome,
        root: folder(name),
        tree: folder(name, 'tree'),
        homes: folder(name, 'homes'),
      };
      return conversation(options, places, (left) => {
        outlived = left;
      });
    },
    outlived: () => outlived,
  };
}

interface Places {
  readonly run: RunId;
  readonly userHome: string;
  readonly root: string;
  readonly tree: string;
  readonly homes: string;
}

function conversation(
  options: ProbeLanesOptions,
  places: Places,
  onOutlived: (left: number | null) => void,
): Conversation {
  let n = 0;
  return {
    tree: places.tree,
    home: join(places.homes, places.run, 'execute'),
    async turn(request) {
      options.signal.throwIfAborted();
      n += 1;
      const { outlived, ...seen } = await turn(options, request, { ...places, n });
      if (request.interrupt !== undefined) onOutlived(outlived);
      return seen;
    },
  };
}

async function turn(
  options: ProbeLanesOptions,
  request: TurnRequest,
  { n, ...places }: Places & { readonly n: number },
): Promise<SeenTurn & { readonly outlived: number | null }> {
  const { clock, ids, role, signal } = options;
  const { run, tree } = places;
  const secrets = Object.fromEntries(keyVariables.map((name) => [name, 'env:PAWL_PROBE_KEY']));
  const at = clock.now();
  const dispatch = probeDispatch({ run, n, role, tree, request, secrets, at });
  const seen = watchedTurn(options, request, dispatch.execution);
  let isCancelled = false;
  void request.interrupt?.then((by) => {
    if (by === 'kill') seen.kill();
    else isCancelled = true;
  });
  const { plane, handedIn } = probePlane(dispatch, () => isCancelled);
  const home = join(places.root, 'pawl');
  const { how } = await laneHost({
    ...{ plane, clock, ids },
    workspace: gitWorkspace({ home, env: options.env }),
    checks: {
      furnish: async () => ({ how: 'none', ok: true, detail: '' }),
      attestFiles: neverJudged,
      attestedFiles: neverJudged,
    },
    processes: seen.processes,
    artifacts: diskArtifacts({ directory: join(home, 'artifacts') }),
    judges: { prompt: neverJudged, verdict: neverJudged, opinion: neverJudged },
    judgeTree: neverJudged,
    modelsDoor: options.modelsDoor,
    adapter: (given) => seen.adapter(options.adapter(given)),
    spoolDirectory: join(home, 'spool'),
    homesDirectory: places.homes,
    worker: 'probe',
    env: environment(options.env, places.userHome),
    ensureDriver: async () => {},
    spans: { graceMs: 2_000, completingMs: 5_000, watchMs: 200 },
  }).run(dispatch.execution, signal);
  const { outlived, ...facts } = seen.seen();
  return {
    ...{ ...facts, result: handedIn(), exit: how, asked: null, outlived },
    alive: markedBy(dispatch.execution).map(({ pid }) => `${pid} ${commandOf(pid)}`),
  };
}

function neverJudged(): never {
  throw new Error('a probe judges nothing');
}

/** Folders of the user's that stand beside his home are found through it then. */
function environment(
  env: ProbeLanesOptions['env'],
  home: string,
): Readonly<Record<string, string | undefined>> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('XDG_'));
  return { ...Object.fromEntries(kept), ...probeKey, HOME: home };
}
