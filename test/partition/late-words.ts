/** Every verb of the worker plane, said with a grant that was lost; what each was answered. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { planeHeaders, planePrefix } from '../../src/contract/plane.ts';
import { planeWire } from '../../src/contract/plane-words.ts';
import { nodeIds } from '../../src/host/ids.ts';
import { planeOf, readIdentity } from '../../src/main/worker-identity.ts';
import type { KeptClaim } from '../../src/worker/kept-claims.ts';
import { planeCaller } from '../../src/worker/plane-call.ts';
import { wallClock } from '../conformance/opened.ts';
import type { Machine } from './world.ts';

export interface LateWord {
  readonly verb: string;
  /** `ok` when it was taken. */
  readonly answer: string;
}

/** What the worker's host keeps of its claim, token and all; gone with its last word. */
export function keptClaim({ own }: Machine, execution: string): KeptClaim {
  const file = join(own.home, 'worker', 'claims', `${execution}.json`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

const bytes = Buffer.from('work of a holder that lost\n');
const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const usage = { costUsd: 1, source: 'self-reported', tokensIn: 1, tokensOut: 1 } as const;
const failed = { kind: 'failed', class: 'lane_died', detail: 'late', proof: 'kernel' } as const;

const messages = {
  start: { rung: 'late', pid: 7 },
  heartbeat: { beat: 1_000_000, signals: '{}', usage: null },
  ask: { ask: { request: 'r', tool: null, title: 'late', args: '', definition: '' } },
  events: { from: 1, rows: [{ at: 1, kind: 'said', text: 'late' }] },
  checkpoint: { body: digest },
  source: { have: null, withoutRemote: false },
  work: { tip: 'a'.repeat(40), bundle: digest },
  credential: { name: 'TOKEN' },
  'budget-reserve': { costUsd: 0, tokens: 1 },
  'budget-settle': { usage: { ...usage, cacheRead: 0, cacheWrite: 0 } },
  'tool-reserve': { server: 's', tool: 't', arguments: digest, n: 0, class: 'mutating' },
  'tool-outcome': { key: 'k', outcome: null, state: 'unknown' },
  'cancel-ack': { proof: 'kernel' },
  result: { seal: digest, result: { ...failed, commit: null, usage: null, text: null } },
} as const;

export async function sayLate(
  machine: Machine,
  { grant }: KeptClaim,
  server: string,
): Promise<readonly LateWord[]> {
  const caller = planeCaller({ servers: [server], clock: wallClock, ids: nodeIds() });
  const said: LateWord[] = [];
  const { binding, token } = grant;
  for (const [verb, rest] of Object.entries(messages)) {
    const message = { wire: planeWire, binding, ...rest };
    const answer = await caller.call(verb as 'start', message as never, { token });
    said.push({ verb, answer: answer.ok ? 'ok' : answer.code });
  }
  const headers = {
    [planeHeaders.wire]: String(planeWire),
    [planeHeaders.execution]: binding.execution,
    [planeHeaders.grant]: binding.grantId,
  };
  for (const method of ['PUT', 'GET'] as const) {
    const more = method === 'PUT' ? { body: bytes } : {};
    const kind = method === 'PUT' ? { [planeHeaders.kind]: 'output' } : {};
    const path = `${planePrefix}/artifacts/${digest}`;
    const how = { method, path, token, headers: { ...headers, ...kind }, tries: 1, ...more };
    const answer = await caller.bytes({ ...how, bytesMax: 1_000 });
    said.push({ verb: `artifact ${method.toLowerCase()}`, answer: answer.ok ? 'ok' : answer.code });
  }
  const identity = readIdentity({ home: join(machine.own.home, 'worker') });
  if (identity === null) throw new Error('the worker has no identity');
  const claimed = await planeOf({ ...identity, server }).claim(grant.claim);
  return [...said, { verb: 'claim', answer: claimed.ok ? 'ok' : claimed.reason }];
}
