/** C3, C4 and C6–C8: what one turn shows. */
import { join } from 'node:path';
import type { Usage } from '../../domain/execution/state.ts';
import type { AnsweredRequest } from '../model-server/request-log.ts';
import type { Clause } from './clause.ts';
import { howItEnded } from './early-clauses.ts';
import { bytesIn } from './files-in.ts';
import { artifact } from './lines.ts';
import { mainRequests, type Scene, type Trial } from './trial.ts';

const needs = ['C0', 'C2'] as const;

export const toolsClause: Clause = {
  id: 'C3',
  title: 'tools listed through the MCP server it was given',
  needs,
  async check(trial) {
    const methods = (await trial.first()).probe.methods();
    if (methods.length === 0) return ['it never started the server of tools'];
    return methods.includes('tools/list') ? [] : [`it asked only for ${methods.join(', ')}`];
  },
};

/** Between its first request and the last one: what it says before and after is no heartbeat. */
export const heartbeatClause: Clause = {
  id: 'C4',
  title: 'heartbeat observed',
  needs,
  async check(trial) {
    const { signs, requests } = await trial.first();
    const isWithin = (at: number) => at > 0 && at < requests.length;
    return signs.some((sign) => isWithin(sign.requests))
      ? []
      : ['nothing was heard of it between its requests of the model'];
  },
};

export const usageClause: Clause = {
  id: 'C6',
  title: 'usage reported',
  needs: [...needs, 'C8'],
  async check(trial) {
    const scene = await trial.first();
    const { end } = scene.turn;
    if (end?.usage == null) return ['it reported no usage'];
    if (end.usage.source !== 'self-reported') return [`its usage is ${end.usage.source}`];
    if (isSpent(end.usage, scene)) return [];
    return [`it reported ${figures(end.usage)}, and spent ${spent(scene.requests)}`];
  },
};

/** Side errands cost too; not every program counts them. */
export function isSpent(usage: Usage, scene: Scene): boolean {
  return [spent(scene.requests), spent(mainRequests(scene))].includes(figures(usage));
}

function spent(requests: readonly AnsweredRequest[]): string {
  const all = requests.map(({ answer }) => answer.usage);
  const sum = (of: (usage: (typeof all)[number]) => number) =>
    all.reduce((total, usage) => total + of(usage), 0);
  return figures({
    tokensIn: sum((usage) => usage.inputTokens - usage.cachedTokens - usage.cacheWriteTokens),
    tokensOut: sum((usage) => usage.outputTokens),
    cacheRead: sum((usage) => usage.cachedTokens),
    cacheWrite: sum((usage) => usage.cacheWriteTokens),
  });
}

function figures(usage: Omit<Usage, 'costUsd' | 'source'>): string {
  const { tokensIn, tokensOut, cacheRead, cacheWrite } = usage;
  return `in ${tokensIn}, out ${tokensOut}, cache ${cacheRead} read ${cacheWrite} written`;
}

export const artifactClause: Clause = {
  id: 'C7',
  title: 'artifact published',
  needs,
  async check(trial) {
    const scene = await trial.first();
    const path = join(scene.conversation.tree, artifact.write);
    const text = bytesIn(path)?.toString('utf8') ?? null;
    if (text === null) {
      return [`there is no ${artifact.write} in the work tree; ${toolWords(scene)}`];
    }
    return text === artifact.content ? [] : [`${artifact.write} holds ${JSON.stringify(text)}`];
  },
};

/** What the tools of the turn gave back, as the model was told. */
export function toolWords(scene: Scene): string {
  const words = mainRequests(scene).flatMap(({ request }) => request.toolText ?? []);
  return words.length === 0
    ? 'no tool answered'
    : `a tool said: ${words.join(' · ').slice(0, 300)}`;
}

export const completedClause: Clause = {
  id: 'C8',
  title: 'completed',
  needs,
  check: async (trial: Trial) => notCompleted(await trial.first()),
};

/** Why a turn did not end as a turn does, with the name of its session. */
export function notCompleted(scene: Scene): readonly string[] {
  const { end, result } = scene.turn;
  const isEnd = end?.outcome === 'turn_ended' || end?.outcome === 'question';
  if (!isEnd) return [`the turn did not end: ${howItEnded(scene)}`];
  if (result?.kind !== 'executed') return [`the host made of it: ${howItEnded(scene)}`];
  return end.sessionId === null ? ['it did not tell the id of its session'] : [];
}
