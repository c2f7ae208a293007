/**
 * What stops the runs of `options.test.ts`: for each reason a cause that a run meets in earnest.
 *
 * No verdict of the shipped program is `indeterminate`: a check is cut off with its host alone, and
 * then nobody hands in a verdict. What it parks is held by `recovery.test.ts`, its page by
 * `test/golden/cli/escalation`; all but one of its options (`logs --checks`) stand on pages here.
 * Nothing parks for `no_progress`, `replan_cap`, `score_plateau`, `steps`, `model_divergence` and
 * `context_floor` yet.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { ParkReason } from '../../src/domain/run/park-reasons.ts';
import { sqliteBinding } from '../../src/store/sqlite/binding.ts';
import type { Pawl } from '../support/pawl.ts';
import { signal, until } from '../support/processes.ts';
import { canMount, empty, fill, mount, unmount } from '../support/small-disk.ts';
import { byHand } from './effects.ts';

export interface Case {
  readonly reason: ParkReason;
  /** Body of the agent's script until the cause is gone. */
  readonly agent?: string;
  /** Keys of the definition, in place of what it has of itself; null: without this one. */
  readonly file?: (root: string) => Readonly<Record<string, string | null>>;
  /** Further programs of the machine, by their names. */
  readonly programs?: (root: string) => Readonly<Record<string, string>>;
  /** What is so before anything is started, and how it is undone at the end. */
  readonly before?: (own: Pawl) => (() => void) | undefined;
  /** What befalls so many runs, which were started just now; absent: nothing. */
  readonly strike?: (own: Pawl, runs: number) => Promise<void>;
  /** Its work is looked at by a human; whoever has started it says yes. */
  readonly isLookedAt?: true;
  /** Lets further runs begin, which it strikes again. */
  readonly again?: (own: Pawl) => void;
  /** What a human sets right in the end, besides the file `healed`. */
  readonly heal?: (own: Pawl) => void;
}

const right = 'echo 42 > answer.txt';
const wrong = 'echo 41 > answer.txt';
const says = (result: string) => `echo '${result}' > "$PAWL_RESULT_FILE"`;
const ifHealed = (root: string, line: string) => `if test -e '${root}/healed'; then ${line}; fi`;

/** Nobody else's, so that it is found by it. */
const longWork = 'sleep 86399';
/** As many as are started are at work together. */
const together = { concurrency: '{ max: 20 }' };

async function atLongWork(own: Pawl, runs: number) {
  const working = () => own.processes().filter(({ command }) => command === longWork);
  expect(await until(() => working().length === runs, 120_000), 'agents at work').toBe(true);
  return working();
}

/** A row that nobody of pawl's would ever delete. */
function lose(own: Pawl, table: 'leases' | 'timers'): void {
  const store = sqliteBinding().open(join(own.home, 'store.db'));
  store.prepare(`delete from ${table}`).run();
  store.close();
}

/** Their processes are killed, and what says whose they were is lost from store and disk. */
async function forgotten(own: Pawl, runs: number): Promise<void> {
  await atLongWork(own, runs);
  for (const one of own.processes()) signal(one, 'SIGKILL');
  await until(() => own.processes().length === 0, 20_000);
  rmSync(join(own.home, 'spool'), { recursive: true });
  lose(own, 'leases');
}

/** Nothing would ever end them any more. */
async function deadlineLost(own: Pawl, runs: number): Promise<void> {
  await atLongWork(own, runs);
  lose(own, 'timers');
}

const attempts: readonly Case[] = [
  { reason: 'attempts_exhausted', agent: wrong, file: () => ({ brakes: '{ attempts: 1 }' }) },
  { reason: 'convergence_signals', agent: says('{'), file: () => ({ brakes: '{ attempts: 20 }' }) },
  {
    reason: 'recovery_exhausted',
    agent: 'kill -9 $$',
    file: () => ({ recovery: '{ requeues: 0 }' }),
  },
  {
    reason: 'wait_exhausted',
    agent: `${wrong}\n${says(`{"outcome":"limit","until":${Date.now() + 86_400_000}}`)}`,
    file: () => ({ brakes: '{ waitTime: 1s }' }),
  },
];

const spends = (usage: string) => `${wrong}\n${says(`{"outcome":"done","usage":${usage}}`)}`;

/** Of the user's own file. */
const limits =
  (budgets: string) =>
  (own: Pawl): undefined => {
    const file = join(own.root, 'user/.config/pawl/config.yaml');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `version: 1\nbudgets: { ${budgets} }\n`);
  };

/** They have begun when it is set, and end their turns. */
const limitedAtWork = (budgets: string) => async (own: Pawl, runs: number) => {
  const working = await atLongWork(own, runs);
  limits(budgets)(own);
  for (const one of working) signal(one, 'SIGKILL');
};

const budgets: readonly Case[] = [
  {
    reason: 'tokens',
    agent: spends('{"tokensIn":2000}'),
    file: () => ({ brakes: '{ tokens: 1000 }' }),
  },
  { reason: 'cost', agent: spends('{"costUsd":2}'), file: () => ({ brakes: '{ cost: 1 }' }) },
  {
    reason: 'wall',
    agent: `${wrong}\nexec ${longWork}`,
    file: () => ({ brakes: '{ time: 15s }' }),
  },
  // Spent before anything is begun.
  {
    reason: 'day_budget',
    agent: wrong,
    file: () => ({ setup: 'sleep 1' }),
    before: limits('day: { time: 1s }'),
    heal: limits('day: { time: 8h }'),
  },
  {
    reason: 'project_budget',
    agent: `${spends('{"costUsd":2}')}\n${longWork} || true`,
    file: () => together,
    strike: limitedAtWork('project: { cost: 1 }'),
    again: limits('project: { cost: 100 }'),
    heal: limits('project: { cost: 100 }'),
  },
];

/** It asks twice for what it was told not to do. */
const asking = (root: string) => `#!/usr/bin/env node
const { execSync } = require('node:child_process');
const { existsSync, writeFileSync } = require('node:fs');
if (process.argv.includes('--version')) { console.log('0.15.10'); process.exit(0); }
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const work = () => execSync(${JSON.stringify(byHand)});
let prompt = null;
const ask = (id) => say({ id, method: 'session/request_permission', params: { sessionId: 's-1',
  toolCall: { toolCallId: id, title: 'git push origin', kind: 'execute',
    rawInput: { command: 'git push origin' } },
  options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' }] } });
const end = () => say({ id: prompt, result: { stopReason: 'end_turn' } });
const turn = (id) => {
  prompt = id;
  writeFileSync('answer.txt', '41\\n');
  if (!existsSync('${root}/healed')) return ask('first');
  work();
  end();
};
const heard = ({ id, method, result }) => {
  if (method === 'session/prompt') return turn(id);
  if (id === 'first' && result.outcome.optionId === 'no') return ask('second');
  if (id === 'first' || id === 'second') return end();
  if (id !== undefined) say({ id, result: { protocolVersion: 1, sessionId: 's-1',
    agentCapabilities: { loadSession: true }, agentInfo: { name: 'qwen', version: '0.15.10' } } });
};
require('node:readline').createInterface({ input: process.stdin })
  .on('line', (line) => heard(JSON.parse(line))).on('close', () => process.exit(0));
`;

function qwenLogin(own: Pawl): undefined {
  mkdirSync(join(own.root, 'user/.qwen'));
  writeFileSync(join(own.root, 'user/.qwen/oauth_creds.json'), '{}');
}

const human: readonly Case[] = [
  { reason: 'blocked_by_question', agent: says('{"outcome":"question","text":"Which one?"}') },
  {
    reason: 'permission_denied',
    file: () => ({
      roles: '{ execute: { agent: qwen } }',
      permissions: 'ask',
      onPermission: 'deny',
    }),
    programs: (root) => ({ qwen: asking(root) }),
    before: qwenLogin,
  },
  {
    reason: 'review_expired',
    isLookedAt: true,
    agent: right,
    file: () => ({
      approvals: '{ expire: 20s }',
      check: null,
      criteria: '[{ test: node check.mjs }, { manual: Is it the answer? }]',
    }),
  },
  {
    reason: 'auth_required',
    agent: wrong,
    file: (root) => ({ secrets: `{ ANSWER_KEY: "file:${root}/healed" }` }),
  },
  { reason: 'protected_changed', agent: `${right}\necho "// more" >> check.mjs` },
  {
    reason: 'drift_detected',
    agent: `${right}\necho "// more" > other.mjs`,
    file: () => ({ fileScope: '[answer.txt]' }),
  },
];

/** It tells of its tests where they fail, and of none where it says that they pass. */
const mute = (root: string) => `#!/bin/sh
echo 1..1
if node check.mjs; then ${ifHealed(root, "echo 'ok 1'")}; exit 0; fi
echo 'not ok 1'
exit 1
`;

/** It crashes before it has said anything. */
const crashing = (root: string) => `#!/bin/sh
${ifHealed(root, `echo '{"pass":true,"score":0.9,"reasons":["right"]}'; exit 0`)}
kill -SEGV $$
`;

const verifiers: readonly Case[] = [
  {
    reason: 'verifier_unavailable',
    agent: right,
    file: (root) => ({
      agents: `{ mine: { command: [sh, ${root}/agent.sh] }, judge: { command: [${root}/bin/judge] } }`,
      roles: '{ execute: { agent: mine }, verify: { profile: oracle, agent: judge } }',
      check: null,
      criteria: '[{ test: node check.mjs }, { oracle: The answer is right. }]',
    }),
    programs: (root) => ({ judge: crashing(root) }),
  },
  {
    reason: 'missing_evidence',
    agent: right,
    file: (root) => ({ check: null, criteria: `[{ test: ${root}/bin/mute }]` }),
    programs: (root) => ({ mute: mute(root) }),
  },
];

/** What it was told is more than it can hold, however often it begins anew. */
const overflowing = (root: string) => `
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const data = { errorKind: 'prompt_too_long' };
const answer = () => {
  if (!existsSync('${root}/healed')) {
    return { error: { code: -32603, message: 'prompt is too long: 212640 tokens', data } };
  }
  execSync(${JSON.stringify(byHand)});
  return { result: { stopReason: 'end_turn' } };
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const hello = { protocolVersion: 1, agentCapabilities: {}, sessionId: 's-1' };
  say({ id, ...(method === 'session/prompt' ? answer() : { result: hello }) });
});
`;

const repository = ({ root }: Pawl) => join(root, 'project');

/** On a machine that does not let us mount, disks are not filled. */
const fullDisk: readonly Case[] = [
  {
    reason: 'disk_full',
    agent: wrong,
    // No tree is made before there is no room for it.
    file: (root) => ({
      brakes: '{ waitTime: 1s }',
      setup: `until test -e ${root}/filled; do sleep 0.1; done`,
    }),
    before: (own) => {
      if (!mount(repository(own))) throw new Error('nothing was mounted');
      return () => unmount(repository(own));
    },
    strike: async (own) => {
      fill(join(repository(own), '.git'));
      writeFileSync(join(own.root, 'filled'), '');
    },
    heal: (own) => empty(join(repository(own), '.git')),
  },
];

const world: readonly Case[] = [
  { reason: 'workspace_lost', agent: 'rm -rf "$PWD"' },
  {
    reason: 'setup_failed',
    agent: wrong,
    file: (root) => ({ setup: `test -e ${root}/healed` }),
  },
  {
    reason: 'unknown_outcome',
    agent: `exec ${longWork}`,
    file: () => together,
    strike: forgotten,
  },
  { reason: 'dispatch_failed', agent: 'exec agent-that-was-moved' },
  {
    reason: 'context_overflow',
    file: (root) => ({
      agents: `{ mine: { acp: [node, ${root}/bin/overflowing.mjs] } }`,
      permissions: 'trusted',
    }),
    programs: (root) => ({ 'overflowing.mjs': overflowing(root) }),
  },
  {
    reason: 'internal_error',
    agent: `exec ${longWork}`,
    file: () => ({ ...together, recovery: '{ grace: 1m }' }),
    strike: deadlineLost,
  },
  ...(canMount() ? fullDisk : []),
];

export const cases: readonly Case[] = [...attempts, ...budgets, ...human, ...verifiers, ...world];
