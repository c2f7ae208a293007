/**
 * A lane host as the engine meets it: the protocol of design/lane-host.md over the real local
 * plane, with an agent that works, dies, hangs, asks, lies. Everything that it tells the plane may
 * be told twice, late, or by the wrong one.
 */
import { readsOnly } from '../../src/domain/execution/roles.ts';
import type { JobResult, LaneEnd, Usage } from '../../src/domain/execution/state.ts';
import type { Commit, Digest, ExecutionId, Instant } from '../../src/domain/ids.ts';
import type { Verdict } from '../../src/domain/verdict/verdict.ts';
import type { Artifacts } from '../../src/ports/artifacts.ts';
import type { Dispatch, Granted, Plane } from '../../src/ports/plane.ts';
import type { Agent, Machine, Spool } from './machine.ts';
import { insist } from './plane-calls.ts';
import type { SimProcess } from './process.ts';
import type { Random } from './random.ts';
import { stalling } from './stalling.ts';
import type { Weather } from './weather.ts';

export interface HostWorld {
  readonly machine: Machine;
  readonly random: Random;
  readonly weather: Weather;
  readonly skill: Skill;
  readonly beatMs: number;
  readonly agentStarted: (agent: Agent) => void;
  readonly startDriver: () => void;
  /** A process that outlives the host and says things that nobody should believe. */
  readonly ghost: (main: (process: SimProcess, plane: Plane) => Promise<void>) => void;
}

/** How good and how tidy the agents of this world are. */
export interface Skill {
  readonly good: number;
  readonly trouble: number;
  readonly turnMs: number;
}

export interface HostPorts {
  readonly plane: Plane;
  readonly artifacts: Artifacts;
}

export async function laneHost(
  world: HostWorld,
  ports: HostPorts,
  process: SimProcess,
  execution: ExecutionId,
): Promise<void> {
  const { machine, random } = world;
  const spool = machine.spool(execution);
  if (spool.owner !== null && machine.lives(spool.owner)) return;
  spool.owner = process.holder;
  const nonce = random.hex(32);
  const claim = () => ports.plane.claim({ execution, holder: process.holder, nonce });
  const claimed = await insist(process, claim);
  if (claimed?.ok !== true) return;
  if (random.chance(world.weather.duplicates)) await insist(process, claim);
  spool.grantId = claimed.grantId;
  const granted = { execution, grantId: claimed.grantId };
  const { dispatch } = claimed;
  const agent = enter(world, process, dispatch);
  const start = () => ports.plane.start({ ...granted, rung: agent.rung, pid: process.holder.pid });
  const started = await insist(process, start);
  if (random.chance(world.weather.duplicates)) await insist(process, start);
  const watch =
    started?.ok === true
      ? await watchOver(world, ports, process, { granted, dispatch, agent })
      : 'refused';
  const proof = machine.endAgents(execution);
  if (watch === 'cancel') {
    await insist(process, () => ports.plane.cancelAck({ ...granted, proof }));
  } else if (watch !== 'refused') {
    const result = await resultOf(world, ports, dispatch, { watch, proof });
    await handIn(world, ports, process, { granted, spool, result });
  }
  world.startDriver();
}

function enter(world: HostWorld, process: SimProcess, dispatch: Dispatch): Agent {
  const { machine } = world;
  // Who only reads does it in a tree of its own.
  const tree = readsOnly(dispatch.job.role)
    ? `${dispatch.execution}/judged`
    : machine.tree(dispatch.run, dispatch.job.tree);
  const agent = machine.startAgent(dispatch.execution, tree, process);
  world.agentStarted(agent);
  return agent;
}

type Watch = 'ended' | 'died' | 'left' | 'deadline' | 'cancel' | 'refused';

interface Watched {
  readonly granted: Granted;
  readonly dispatch: Dispatch;
  readonly agent: Agent;
}

/**
 * Beats until the agent ends, the plane asks for a cancel, or the plane knows the grant no more.
 */
async function watchOver(
  world: HostWorld,
  { plane }: HostPorts,
  process: SimProcess,
  { granted, dispatch, agent }: Watched,
): Promise<Watch> {
  const { clock } = process;
  const turn = drawTurn(world);
  const lane = stalling(world, agent, clock);
  const since = clock.monotonicMs();
  for (let beat = 1; ; beat += 1) {
    const spentMs = clock.monotonicMs() - since;
    if (spentMs >= dispatch.deadlineMs) return 'deadline';
    const restMs = lane.isStalled() ? world.beatMs : turn.lastsMs - spentMs;
    if (restMs <= 0) return turn.end;
    await clock.sleep(Math.max(1, Math.min(world.beatMs, restMs)));
    const told = await tellBeat(process, plane, { ...granted, beat, signals: lane.signals() });
    if (typeof told === 'string') return told;
    lane.nudged(told.nudges);
  }
}

function drawTurn({ random, skill, weather }: HostWorld) {
  const hangs = random.chance(skill.trouble / 10);
  const dies = random.chance(skill.trouble / 4);
  const lastsMs = hangs ? Number.POSITIVE_INFINITY : random.between(1_000, skill.turnMs);
  const leaves = weather.cleanExits > 0 && random.chance(weather.cleanExits);
  const end: Watch = dies ? 'died' : leaves ? 'left' : 'ended';
  return { lastsMs, end };
}

async function tellBeat(
  process: SimProcess,
  plane: Plane,
  beat: Granted & { readonly beat: number; readonly signals: string },
): Promise<'cancel' | 'refused' | { readonly nudges: number }> {
  const answer = await insist(process, () => plane.heartbeat({ ...beat, usage: null }));
  if (answer === null) return { nudges: 0 };
  if (!answer.ok) return 'refused';
  return answer.cancel ? 'cancel' : { nudges: answer.nudges ?? 0 };
}

interface TurnEnd {
  readonly watch: Watch;
  readonly proof: LaneEnd['proof'];
}

const usage: Usage = {
  costUsd: 0.25,
  source: 'metered',
  tokensIn: 1_000,
  tokensOut: 100,
  cacheRead: 0,
  cacheWrite: 0,
};

async function resultOf(
  world: HostWorld,
  ports: HostPorts,
  dispatch: Dispatch,
  { watch, proof }: TurnEnd,
): Promise<JobResult> {
  const failed = { kind: 'failed', proof, commit: null, usage, text: null } as const;
  if (watch === 'died') {
    const { random } = world;
    const failure = random.pick([
      'lane_died',
      'transport_lost',
      'context_overflow',
      'auth_required',
    ] as const);
    return { ...failed, class: failure, detail: 'the simulated agent died' };
  }
  if (watch === 'left') {
    const left = {
      class: 'lane_died',
      cleanExit: true,
      detail: 'the simulated agent left',
    } as const;
    return { ...failed, ...left };
  }
  if (watch === 'deadline') {
    return { ...failed, class: 'window_exhausted', detail: 'the simulated agent hung' };
  }
  if (dispatch.job.role === 'consult') {
    return { kind: 'advised', text: await ports.artifacts.put('try weeks.ts', 'opinion'), usage };
  }
  return dispatch.job.role === 'judge'
    ? judged(world, ports, dispatch)
    : executed(world, ports, dispatch, proof);
}

async function executed(
  world: HostWorld,
  { artifacts }: HostPorts,
  dispatch: Dispatch,
  proof: LaneEnd['proof'],
): Promise<JobResult> {
  const { machine, random, skill } = world;
  const outcome = random.chance(skill.trouble)
    ? random.pick(['question', 'blocked', 'limit', 'invalid_result'] as const)
    : 'turn_ended';
  const idle = outcome !== 'turn_ended' || random.chance(0.1);
  const commit = idle ? null : machine.commit({ good: random.chance(skill.good) });
  const now = dispatch.dispatchedAt;
  return {
    kind: 'executed',
    outcome,
    commit,
    equalsBase: commit === null && dispatch.job.commit === null,
    filesChanged: commit === null ? 0 : 1,
    findings: random.chance(skill.trouble / 10)
      ? [{ kind: 'drift', paths: ['elsewhere.ts'], more: 0 }]
      : [],
    usage,
    end: { exit: 0, signal: null, rung: 'sim', proof, lastLine: 'done, all tests pass' },
    text: outcome === 'turn_ended' ? null : await artifacts.put('which one?', 'question'),
    limitUntil: outcome === 'limit' ? ((now + random.between(0, 7_200_000)) as Instant) : null,
    sessionId: null,
    journal: await artifacts.put(`journal of ${dispatch.execution}`, 'journal'),
  };
}

/** What a judge or a check says: the truth about the commit, unless it cannot tell. */
export async function judged(
  { machine, random, skill }: Pick<HostWorld, 'machine' | 'random' | 'skill'>,
  { artifacts }: Pick<HostPorts, 'artifacts'>,
  dispatch: Dispatch,
): Promise<JobResult> {
  const { commit } = dispatch.job;
  const isGood = machine.isGood(commit);
  const doubt = random.pick([
    'missing_evidence',
    'verifier_unavailable',
    'indeterminate',
    'unparseable',
  ] as const);
  const outcome = random.chance(skill.trouble / 2) ? doubt : isGood ? 'passed' : 'failed';
  const summary = outcome === 'passed' ? 'all pass' : `the simulated check says ${outcome}`;
  const output = await artifacts.put(`printed for ${dispatch.execution}`, 'output');
  const verdict = verdictOf(dispatch.execution, { commit, outcome, summary }, output);
  return {
    kind: 'verified',
    verdict: await artifacts.put(JSON.stringify(verdict), 'verdict'),
    facts: {
      outcome,
      summary,
      receipt: null,
      commit,
      score: isGood ? 1 : 0,
      failedTests: isGood ? 0 : 3,
      passedTests: 3,
      flaky: false,
    },
    outputs: [output],
  };
}

function verdictOf(
  verifier: ExecutionId,
  said: Pick<Verdict, 'commit' | 'outcome' | 'summary'>,
  output: Digest,
): Verdict {
  const common = { suggestedFix: null, exit: 1, counts: null, durationMs: 1, executions: 1 };
  const criterion = {
    ...common,
    index: 0,
    kind: 'test',
    what: 'npm test',
    outcome: said.outcome,
    score: null,
    reasons: [said.summary],
    flaky: false,
    output,
  };
  return { ...said, verifier, verifierIdentity: 'runtime', criteria: [criterion], receipt: null };
}

interface HandedIn {
  readonly granted: Granted;
  readonly spool: Spool;
  readonly result: JobResult;
}

async function handIn(
  world: HostWorld,
  { plane }: HostPorts,
  process: SimProcess,
  { granted, spool, result }: HandedIn,
): Promise<void> {
  const { random, weather } = world;
  const seal = digest(random);
  spool.seal = { seal, result };
  if (weather.sealedDeaths > 0 && random.chance(weather.sealedDeaths)) process.kill();
  await process.turn();
  const message = { ...granted, seal, result };
  if (random.chance(weather.lies)) await lie(world, plane, granted);
  await insist(process, () => plane.result(message));
  if (!random.chance(weather.duplicates)) return;
  await insist(process, () => plane.result(message));
  world.ghost(async (ghost, late) => {
    await ghost.clock.sleep(random.between(0, 3_600_000));
    await late.result(message);
    await late.start({ ...granted, rung: 'ghost', pid: 1 });
    await late.heartbeat({ ...granted, beat: 99, signals: '{}', usage: null });
  });
}

const digest = (random: Random): Digest => `sha256:${random.hex(64)}` as Digest;

/** A lane that judges itself, and one that speaks for another: both must change nothing. */
async function lie({ random }: HostWorld, plane: Plane, granted: Granted): Promise<void> {
  const facts = {
    outcome: 'passed',
    summary: 'trust me',
    receipt: null,
    commit: random.hex(40) as Commit,
    score: 1,
    failedTests: 0,
    passedTests: 9,
    flaky: false,
  } as const;
  const seal = digest(random);
  const result: JobResult = { kind: 'verified', verdict: digest(random), facts };
  const stale = { ...granted, grantId: random.hex(32) as Granted['grantId'] };
  try {
    await plane.result({ ...granted, seal, result });
    await plane.result({ ...stale, seal, result });
    await plane.cancelAck({ ...stale, proof: 'kernel' });
  } catch {
    // A store that is busy refuses a liar too.
  }
}
