/**
 * The canonical definition as it is sent: what `define` makes of files and flags, checked again
 * where it comes in, since whoever sends it may be any program. Closed, and bounded everywhere.
 */
import * as z from 'zod';
import { domains } from '../../kernel/profiles.ts';
import { commitWord } from './words.ts';

const line = z.string().max(4_096);
const text = z.string().max(500_000);
const lines = z.array(line).max(2_000);
const ms = z.number().int().min(0);
const named = z.record(z.string().max(200), text);

const role = z.strictObject({
  profile: line,
  agent: line,
  command: z.array(text).max(1_000).nullable(),
  model: line.nullable(),
  args: z.array(text).max(1_000),
  prompt: text.exactOptional(),
  protocol: z.enum(['acp', 'pty']).exactOptional(),
  models: z.enum(['inject', 'pass']).exactOptional(),
  labels: z.array(line).max(32).exactOptional(),
});

const criterion = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.enum(['test', 'build', 'lint', 'command']),
    timeoutMs: ms,
    command: text,
    expectExit: z.number().int().min(0).max(255),
    testsRunMoreThan: z.number().int().min(0).nullable(),
    redFirst: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('fileExists'), timeoutMs: ms, path: line }),
  z.strictObject({ kind: z.enum(['oracle', 'observer']), timeoutMs: ms, question: text }),
  z.strictObject({ kind: z.literal('manual'), timeoutMs: ms, look: text }),
]);

const noticeTarget = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('desktop') }),
  z.strictObject({ kind: z.literal('ntfy'), url: line, token: line.nullable() }),
  z.strictObject({ kind: z.literal('webhook'), url: line, secret: line.nullable() }),
  z.strictObject({ kind: z.literal('command'), argv: lines }),
]);

const brakes = z.strictObject({
  attempts: z.number().int().min(1).nullable(),
  costUsd: z.number().min(0).nullable(),
  tokens: z.number().int().min(0).nullable(),
  steps: z.number().int().min(0).nullable(),
  timeMs: ms.nullable(),
  attemptTimeMs: ms,
  waitTimeMs: ms,
  errorSignals: z.number().int().min(0),
});

const env = z.strictObject({
  allow: lines,
  set: named,
  started: z.strictObject({ values: named, withheld: lines }).exactOptional(),
  path: text.exactOptional(),
});

const liveness = z.strictObject({
  idleMs: ms.nullable().exactOptional(),
  toolCallMs: ms.nullable().exactOptional(),
  toolProgressMs: ms.nullable().exactOptional(),
});

const origin = {
  intent: z.strictObject({
    originalIntent: text,
    inferredGoal: text.nullable(),
    addedContext: z.array(text).max(200),
    verificationPlan: text,
  }),
  name: line,
  project: z.strictObject({
    root: line.regex(/^(?:\/|[A-Za-z]:\\)/, 'an absolute path'),
    name: line,
    kind: z.enum(['user', 'demo']),
    cwd: line,
  }),
  source: z.strictObject({
    isolation: z.enum(['worktree', 'none']),
    base: commitWord.nullable(),
    baseBranch: line.nullable(),
    includeChanges: z.boolean(),
  }),
  settings: z.strictObject({ file: line, digest: line }).exactOptional(),
  dryRun: z.literal(true).exactOptional(),
  domain: z.enum(domains).exactOptional(),
  artifacts: lines.exactOptional(),
};

const policy = {
  strategy: z.literal('attempts'),
  roles: z.strictObject({ execute: role, verify: role.nullable() }),
  criteria: z.array(criterion).max(200),
  baseline: z.enum(['auto', 'green-ok', 'skip']),
  allowNoChange: z.boolean(),
  protected: lines,
  onProtected: z.enum(['park', 'ask', 'restore']),
  fileScope: lines,
  brakes,
  workspace: z.strictObject({
    setup: z.strictObject({ command: text, timeoutMs: ms }).nullable(),
    copy: lines,
    submodules: z.enum(['auto', 'on', 'off']),
  }),
  verifyTree: z.enum(['clean', 'lane']),
  verifyOn: z.literal('other-worker').exactOptional(),
  labels: lines.exactOptional(),
  permissions: z.enum(['workspace', 'trusted', 'ask']),
  onPermission: z.enum(['deny', 'stop', 'ask']).exactOptional(),
  agentConfig: z.enum(['clean', 'user']).exactOptional(),
  onLimit: z.enum(['wait', 'stop', 'ask']),
};

const rest = {
  env,
  secrets: z.record(z.string().max(200), line),
  context: z.array(text).max(200),
  approvals: z.strictObject({ expireMs: ms.nullable() }),
  recovery: z.strictObject({
    requeues: z.number().int().min(0),
    transfers: z.number().int().min(0),
    cleanExits: z.number().int().min(0).exactOptional(),
    nudges: z.number().int().min(0).exactOptional(),
    silenceMs: ms.exactOptional(),
    graceMs: ms.exactOptional(),
  }),
  concurrency: z.strictObject({ group: line, max: z.number().int().min(1) }),
  land: z.strictObject({ method: z.enum(['squash', 'merge', 'ff']), reverify: z.boolean() }),
  nestedRuns: z.number().int().min(0),
  keepAwake: z.boolean(),
  notify: z
    .strictObject({
      on: z.array(z.enum(['needs_operator', 'waiting_human', 'complete', 'limit'])).max(4),
      to: z.array(noticeTarget).max(8),
    })
    .exactOptional(),
  liveness: liveness.exactOptional(),
};

export const definitionSchema = z
  .strictObject({ version: z.literal(1), ...origin, ...policy, ...rest })
  .describe('A definition with everything decided, as `pawl config show --json` prints it.');
