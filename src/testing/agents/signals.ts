/**
 * The signals that an agent gives, read off the scenes of a trial: the clauses of the conformance
 * suite, asked for what there is instead of for what must be.
 */
import { type AgentSignals, nothingSeen } from '../../ports/agent-probe.ts';
import { failureClause } from './failure-clauses.ts';
import { InfrastructureError } from './outcome.ts';
import { resumeClause } from './session-clauses.ts';
import type { Scene, Trial } from './trial.ts';
import { completedClause, isSpent, toolsClause, usageClause } from './turn-clauses.ts';

export interface SeenSignals {
  /** False: it did not end a plain turn, and nothing else was tried. */
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly signals: AgentSignals;
}

export interface SignalsRequest {
  /** Its turns go through a models door. */
  readonly trial: Trial;
  /** Another one, whose turns ask the model server itself. */
  readonly direct: Trial;
  /** What outlived the scene `cancelled`; null: nobody looked. */
  readonly outlived: () => number | null;
  readonly progress: (part: string) => void;
}

/** Both are a 429 that names a reset: of a user's own plan, and of a key. */
const planLimit = failureClause('usage_limit');
const rateLimit = failureClause('rate_limited_until');

/** Never throws for what the agent does. */
export async function seenSignals(request: SignalsRequest): Promise<SeenSignals> {
  const { trial, progress } = request;
  const problems: string[] = [];
  progress('a turn with a tool');
  const first = await tried(problems, 'turn', () => trial.first());
  const wrong = first === null ? [] : await completedClause.check(trial);
  problems.push(...wrong);
  if (first === null || wrong.length > 0) {
    return { ok: false, problems, signals: nothingSeen };
  }
  progress('a second turn');
  const resume = await tried(problems, 'resume', () => resumeClause.check(trial));
  progress('a limit');
  const limits = await tried(problems, 'limits', () => limitsOf(request));
  progress('a cancel');
  const cancel = await tried(problems, 'cancel', () => cancelOf(request));
  problems.push(...(resume ?? []).map((problem) => `resume: ${problem}`));
  const signals: AgentSignals = {
    tools: toolsOf(first),
    servers: yes((await toolsClause.check(trial)).length === 0),
    usage: await usageOf(trial),
    metered: meteredOf(first),
    limits: limits ?? 'unknown',
    resume: resume === null ? 'unknown' : yes(resume.length === 0),
    cancel: cancel ?? 'unknown',
  };
  return { ok: true, problems, signals };
}

/** Null: what the trial stands on gave way, which says nothing about the agent. */
async function tried<T>(
  problems: string[],
  what: string,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error: unknown) {
    if (!(error instanceof InfrastructureError)) throw error;
    problems.push(`${what}: not tried: ${error.message}`);
    return null;
  }
}

const yes = (is: boolean): 'yes' | 'no' => (is ? 'yes' : 'no');

/** Both ends of the tool that the script called. */
function toolsOf({ signs }: Scene): AgentSignals['tools'] {
  const told = signs.flatMap(({ sign }) => (sign === 'bytes' ? [] : [sign]));
  const started = told.flatMap((sign) => (sign.kind === 'tool_started' ? [sign.id] : []));
  const isEnded = told.some((sign) => {
    return sign.kind === 'tool_finished' && sign.status !== 'unknown' && started.includes(sign.id);
  });
  return yes(isEnded);
}

async function usageOf(trial: Trial): Promise<AgentSignals['usage']> {
  const { end } = (await trial.first()).turn;
  if (end?.usage == null) return 'none';
  return (await usageClause.check(trial)).length === 0 ? 'total' : 'partial';
}

function meteredOf(scene: Scene): AgentSignals['metered'] {
  const { result } = scene.turn;
  if (result?.kind !== 'executed') return 'unknown';
  return yes(result.usage.source === 'metered' && isSpent(result.usage, scene));
}

/** What it says itself first; a models door sees a limit whatever the agent makes of it. */
async function limitsOf({ trial, direct }: SignalsRequest): Promise<AgentSignals['limits']> {
  if ((await planLimit.check(direct)).length === 0) return 'yes';
  return (await rateLimit.check(trial)).length === 0 ? 'door' : 'no';
}

async function cancelOf({ trial, outlived }: SignalsRequest): Promise<AgentSignals['cancel']> {
  const { turn } = await trial.cancelled();
  return turn.exit === 'cancelled' ? (outlived() ?? 'unknown') : 'unknown';
}
