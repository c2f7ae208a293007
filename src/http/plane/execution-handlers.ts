/**
 * What the holder of a grant says. The token has proven who speaks; each handler asks the engine,
 * whose transaction asks the grant row, or that row itself where nothing is written.
 */

import type { PlaneBinding } from '../../contract/plane-words.ts';
import { leftOf } from '../../engine/assemble-dispatch.ts';
import type { Plane, PlaneAnswer } from '../../ports/plane.ts';
import type { OpenExecution } from '../../ports/store.ts';
import type { Digest, ExecutionId, GrantId } from '../../ports/words.ts';
import { livingOf } from './living-run.ts';
import type { ExecutionHandlers, PlaneServerOptions } from './options.ts';
import { codeOf, PlaneRefusal } from './refusal.ts';
import { namedBy } from './result-artifacts.ts';
import { secretsOf } from './secrets.ts';
import { enrolled } from './worker-handlers.ts';

type ResultMessage = Parameters<Plane['result']>[0];

export function executionHandlers(options: PlaneServerOptions): ExecutionHandlers {
  const { engine, plane, tokens, tail, ttlMs } = options;
  const secrets = secretsOf(options);
  return {
    start: async ({ binding, rung, pid }) =>
      accepted(await plane.start({ ...grantOf(binding), rung, pid })),
    heartbeat: async ({ binding, beat, signals, usage }, who) => {
      await enrolled(options, who.worker);
      const row = await engine.store.execution(binding.execution as ExecutionId);
      if (isCurrent(row, binding) && beat <= row.beat) throw new PlaneRefusal('beat.replayed');
      const answer = await plane.heartbeat({ ...grantOf(binding), beat, signals, usage });
      if (!answer.ok) throw new PlaneRefusal(answer.reason, true);
      const { token, expiresInMs } = await tokens.execution(who, ttlMs);
      const { answer: said, ...told } = answer;
      return {
        ...told,
        ...(said === undefined ? {} : { answer: { ...said } }),
        ...{ token, tokenExpiresInMs: expiresInMs, at: engine.clock.now() },
      };
    },
    ask: async ({ binding, ask }) => accepted(await plane.ask({ ...grantOf(binding), ask })),
    checkpoint: async ({ binding, body }) => {
      await expectHere(options, [body]);
      return accepted(await plane.checkpoint({ ...grantOf(binding), body: body as Digest }));
    },
    events: async ({ binding, from, rows }) => {
      await current(options, binding);
      const next = tail.append(binding.execution, from, rows.length);
      if (next === null) throw new PlaneRefusal('event.gap');
      return { ok: true, next };
    },
    result: async ({ binding, seal, result, attestation: signed }, who) => {
      await expectHere(options, namedBy(result));
      const message = { ...grantOf(binding), seal, result } as unknown as ResultMessage;
      const attestation = await attested(options, who.worker, { binding, message, signed });
      return accepted(await plane.result({ ...message, attestation }));
    },
    'cancel-ack': async ({ binding, proof }) =>
      accepted(await plane.cancelAck({ ...grantOf(binding), proof })),
    credential: async ({ binding, name }) => {
      await current(options, binding);
      return { ok: true, ...(await secrets(binding, name)) };
    },
    'budget-reserve': async ({ binding, costUsd, tokens: wanted }) => {
      const left = await leftFor(options, binding, await current(options, binding));
      const isOver = (ask: number, of: number | null) => of !== null && (of <= 0 || ask > of);
      if (isOver(costUsd, left.costUsd) || isOver(wanted, left.tokens)) {
        throw new PlaneRefusal('budget.spent');
      }
      return { ok: true, left };
    },
    'budget-settle': async ({ binding, usage }) => {
      const { beat, signals } = await current(options, binding);
      const grant = grantOf(binding);
      const answer = await plane.heartbeat({ ...grant, beat, signals: signals ?? '{}', usage });
      return accepted(answer);
    },
    'tool-reserve': () => Promise.reject(new PlaneRefusal('tools.not_available')),
    'tool-outcome': () => Promise.reject(new PlaneRefusal('tools.not_available')),
  };
}

const grantOf = ({ execution, grantId }: PlaneBinding) => ({
  execution: execution as ExecutionId,
  grantId: grantId as GrantId,
});

/** The engine keeps its refusals as evidence. */
function accepted(answer: PlaneAnswer): { readonly ok: true } {
  if (answer.ok) return { ok: true };
  throw new PlaneRefusal(codeOf(answer.reason, 'execution.not_open'), true);
}

const isCurrent = (row: OpenExecution | null, { grantId }: PlaneBinding): row is OpenExecution =>
  row !== null && row.lease?.grantId === grantId;

interface Signed {
  readonly binding: PlaneBinding;
  readonly message: ResultMessage;
  readonly signed: string | undefined;
}

/**
 * Only the key of the worker whose token it is signs for its executions (XP-18). What is signed by
 * another, or says something else, is refused before anything rests on it.
 */
async function attested(
  options: PlaneServerOptions,
  worker: string,
  { binding, message, signed }: Signed,
): Promise<Digest> {
  const { publicKey } = await enrolled(options, worker);
  const isIts = signed !== undefined && options.seals.isOf(signed, { worker, publicKey }, message);
  if (isIts) return options.engine.artifacts.put(signed, 'attestation');
  // Of what is over anyway that is said first.
  await current(options, binding);
  throw new PlaneRefusal('seal.unattested');
}

/** The row of the grant, for verbs that write nothing to the stream. */
export async function current(
  { engine }: Pick<PlaneServerOptions, 'engine'>,
  binding: PlaneBinding,
): Promise<OpenExecution> {
  const row = await engine.store.execution(binding.execution as ExecutionId);
  if (isCurrent(row, binding)) return row;
  throw new PlaneRefusal('grant.stale');
}

/** A message never names what cannot be read: nothing rests on bytes that were not put. */
async function expectHere(
  { engine }: PlaneServerOptions,
  digests: readonly string[],
): Promise<void> {
  for (const digest of digests) {
    if ((await engine.artifacts.get(digest as Digest)) === null) {
      throw new PlaneRefusal('artifact.unknown');
    }
  }
}

/** One execution at a time spends the budget of a run: what it reported is not counted yet. */
async function leftFor(
  options: PlaneServerOptions,
  binding: PlaneBinding,
  { usage }: OpenExecution,
) {
  const left = leftOf(await livingOf(options, binding));
  const tokens =
    usage === null ? 0 : usage.tokensIn + usage.tokensOut + usage.cacheRead + usage.cacheWrite;
  return {
    costUsd: left.costUsd === null ? null : left.costUsd - (usage?.costUsd ?? 0),
    tokens: left.tokens === null ? null : left.tokens - tokens,
  };
}
