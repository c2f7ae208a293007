/**
 * Launches the agent of a role for one turn: files, environment, contained process, start message.
 */
import { join } from 'node:path';
import type { Role } from '../domain/definition/definition.ts';
import { invariant } from '../kernel/invariant.ts';
import {
  type RefusalReason,
  refusalsWith,
  refusedCallMax,
  refusedToolMax,
} from '../kernel/refusals.ts';
import { clipLine } from '../kernel/text.ts';
import type { Launch, TurnFiles } from '../ports/agent.ts';
import type { LaneEvent } from '../ports/lane-event.ts';
import type { Dispatch } from '../ports/plane.ts';
import { agentPrograms } from './agent-programs.ts';
import { laneEnvironment } from './environment.ts';
import { laneTalk } from './lane-talk.ts';
import { failed, type LaneWork, type Outcome, reached, told } from './lane-work.ts';
import { redactText } from './redact.ts';
import { classFor } from './room.ts';
import { plantSeeds } from './seeds.ts';
import { noTerminals } from './terminal/runner-line.ts';
import { runTurn, type Turn, turnSpans } from './turn.ts';
import { removeHistory, writeTurnFiles } from './turn-files.ts';
import { usageAfter } from './usage-after.ts';

export interface AgentTurnRequest {
  readonly role: Role;
  /** The dispatch with the prompt that this role is given. */
  readonly dispatch: Dispatch;
  readonly cwd: string;
  readonly workTree: string | null;
  /** Not the first turn of its execution: that it runs was told. */
  readonly isContinued?: boolean;
  /** It is driven over as many turns as it needs: what is called off can be gone on with. */
  readonly isDriven?: boolean;
}

export type AgentTurn =
  | { readonly ok: true; readonly turn: Turn; readonly files: TurnFiles }
  | { readonly ok: false; readonly outcome: Outcome };

export async function agentTurn(work: LaneWork, request: AgentTurnRequest): Promise<AgentTurn> {
  try {
    const files = writeTurnFiles(work.spool.turn, homeOf(work), request.dispatch);
    const adapter = work.options.adapter(request.role);
    const env = environmentOf(work, {});
    const launch = adapter.launch({
      role: request.role,
      dispatch: request.dispatch,
      files,
      tree: request.cwd,
      env,
      permissions: request.dispatch.definition.permissions,
      agentConfig: request.dispatch.definition.agentConfig ?? 'clean',
      servers: [],
      programs: agentPrograms(request.cwd, env['PATH'] ?? ''),
    });
    plantSeeds(files.home, launch.seeds ?? []);
    const turn = await take(work, { ...request, files, launch }).finally(() => {
      work.desk.clear();
      removeHistory(files);
    });
    reached(work, 'tree-ended');
    work.journal.note(`the turn ended by ${turn.endedBy}; ${turn.proof.strength} proof`);
    for (const gap of turn.proof.gaps) work.journal.note(`not excluded: ${gap}`);
    return { ok: true, turn, files };
  } catch (error: unknown) {
    // Nothing ran, or what ran was ended on the way out; the run is told what the matter is.
    work.signals.ended();
    const detail = told(error, work.secrets);
    return { ok: false, outcome: failed({ class: classFor(error, 'dispatch_failed'), detail }) };
  }
}

/** One for each role of a run: what a maker said is nothing that its judge finds in his home. */
function homeOf({ options, dispatch }: LaneWork): string {
  invariant(/^[a-z0-9]+$/.test(dispatch.run), `the id of a run names a folder: ${dispatch.run}`);
  return join(options.homesDirectory, dispatch.run, dispatch.job.role);
}

function environmentOf(work: LaneWork, adapter: Readonly<Record<string, string>>) {
  const { options, dispatch } = work;
  return laneEnvironment({
    host: options.env,
    policy: dispatch.definition.env,
    secrets: givenSecrets(work),
    // The door's address stands over one that the definition sets: it is asked in its place.
    adapter: { ...adapter, ...work.door.env },
    execution: dispatch.execution,
  });
}

function take(
  work: LaneWork,
  request: AgentTurnRequest & { readonly files: TurnFiles; readonly launch: Launch },
): Promise<Turn> {
  const { options, dispatch, secrets, journal, signals, spool } = work;
  let hasSession = false;
  const talk = laneTalk(request.launch.talk, {
    hear: (event) => {
      hasSession ||= event.kind === 'session';
      hear(work, event);
    },
    tell: (kind, text) => withRoomOrNot(work, () => tellWords(work, kind, text)),
    decide: async (asked) => {
      const answer = isAsking(work) ? await work.desk.decide(asked) : unattended(work);
      if (!work.desk.isWaiting()) signals.answered();
      const decision = answer === 'allow' ? 'allow' : 'deny';
      note(work, `it was told: ${decision}: ${asked.title}`);
      if (answer !== 'allow' && answer !== 'over') refused(work, asked, answer);
      return decision;
    },
    withdrawn: work.desk.withdrawn,
    denialsMax: dispatch.definition.onPermission === 'stop' ? 1 : 2,
  });
  return runTurn(
    {
      launch: request.launch,
      env: environmentOf(work, request.launch.env),
      execution: dispatch.execution,
      spool: spool.directory,
      cwd: request.cwd,
      workTree: request.workTree,
      files: request.files,
      deadlineMs: leftMs(work),
      waitedMs: work.desk.waitedMs,
      secrets,
      signal: work.signal,
      hurry: work.lease.hurry,
      nudges: work.nudges,
      mayGoOn: () => hasSession && request.isDriven === true,
    },
    {
      processes: options.processes,
      clock: options.clock,
      journal,
      signals,
      talk,
      terminalRunner: options.terminalRunner ?? noTerminals,
      spans: { ...turnSpans, ...options.spans },
      onJournalFailure: (error) => options.log?.(`journal: ${told(error)}`),
      onStarted: async ({ pid, record }) => {
        reached(work, 'spawned');
        journal.note(`the agent runs as pid ${pid}, contained by ${record.rung}`);
        if (request.isContinued === true) return;
        await tellStart(work, record.rung, pid);
        reached(work, 'started');
      },
    },
  );
}

function tellWords({ journal }: LaneWork, kind: 'said' | 'tool', text: string): void {
  if (kind === 'tool') journal.tool(text);
  else journal.output('said', Buffer.from(text));
}

/** What must outlive this host is kept at once; what people may want to know is noted. */
function hear(work: LaneWork, event: LaneEvent): void {
  work.signals.told(event);
  if (event.kind === 'started') work.program.version = event.version;
  if (event.kind === 'denied') refused(work, { ...event, tool: null }, 'agent');
  if (event.kind === 'usage') {
    work.selfReported.usage = usageAfter(work.selfReported.before, event.usage);
  }
  withRoomOrNot(work, () => {
    if (event.kind === 'session') work.spool.write('session', { sessionId: event.id });
    const text = noteOf(event);
    if (text !== null) note(work, text);
  });
}

/** What `onPermission` says where nobody is asked. */
const unattended = ({ dispatch }: LaneWork): RefusalReason =>
  dispatch.definition.onPermission === 'stop' ? 'stop' : 'deny';

function refused(
  work: LaneWork,
  { tool, title }: { readonly tool: string | null; readonly title: string },
  why: RefusalReason,
): void {
  const plain = (text: string, max: number) => clipLine(redactText(text, work.secrets), max);
  // Drivers put the tool before what it is called with.
  const call =
    tool !== null && title.startsWith(`${tool}: `) ? title.slice(tool.length + 2) : title;
  const one = {
    ...{ count: 1, why, call: plain(call, refusedCallMax) },
    tool: tool === null ? null : plain(tool, refusedToolMax),
  };
  work.program.refused = refusalsWith(work.program.refused ?? undefined, one);
}

function note(work: LaneWork, text: string): void {
  withRoomOrNot(work, () => work.journal.note(redactText(text, work.secrets)));
}

/** A full disk must not end the agent's work; the end of the turn waits for room. */
function withRoomOrNot(work: LaneWork, write: () => void): void {
  try {
    write();
  } catch (error: unknown) {
    work.options.log?.(`journal: ${told(error, work.secrets)}`);
  }
}

/** A human is asked on behalf of who makes; who judges does it with what it may do anyway. */
const isAsking = ({ dispatch }: LaneWork): boolean =>
  dispatch.definition.onPermission === 'ask' && dispatch.job.role === 'execute';

function noteOf(event: LaneEvent): string | null {
  switch (event.kind) {
    case 'started': {
      const { version, model, mode } = event;
      return `it is version ${version ?? '?'}, model ${model ?? '?'}, permissions ${mode ?? '?'}`;
    }
    case 'permission':
      return `it asks for permission: ${event.title}`;
    case 'withdrawn':
      return 'it waits no longer for an answer to what it asked';
    case 'denied':
      return `it was refused: ${event.title}`;
    case 'delivery':
      return event.state === 'sent' ? null : `its prompt: ${event.state}`;
    case 'limit':
    case 'error':
      return `it says: ${event.detail}`;
    default:
      return null;
  }
}

/**
 * Keys that the models door puts in are not the lane's to hold, nor is the door's own token. What
 * the definition does not name as a secret is in its environment already, and only masked.
 */
function givenSecrets({ dispatch, secrets, door }: LaneWork): Record<string, string> {
  const named = dispatch.definition.secrets;
  const kept = new Set([...door.withheld, ...Object.keys(door.secrets)]);
  const isGiven = (name: string) => Object.hasOwn(named, name) && !kept.has(name);
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => isGiven(name)));
}

/** What is left of the execution's time; making its tree has taken some. */
function leftMs({ dispatch, options, claimedAtMs, desk }: LaneWork): number {
  const spentMs = options.clock.monotonicMs() - claimedAtMs - desk.waitedMs();
  return Math.max(1, dispatch.deadlineMs - spentMs);
}

/** A refusal shows at the next beat too; a plane that does not answer now is told by the result. */
async function tellStart(work: LaneWork, rung: string, pid: number): Promise<void> {
  try {
    const answer = await work.options.plane.start({ ...work.grant, rung, pid });
    if (!answer.ok) await work.lease.beat();
  } catch (error: unknown) {
    work.options.log?.(`start: ${told(error)}`);
  }
}
