/**
 * Goal: whatever an agent does, its execution gets exactly one last word, its tree is ended, and
 * what it left is recorded.
 * Method: real processes in real folders; plane, workspace and verifier are scripted, so that each
 * test says what the rest of the world answers.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { living, noFiles, removeRig, run } from '../../test/support/lane-rig.ts';
import type { Digest } from '../domain/ids.ts';
import { TransientError, WorldError } from '../kernel/errors.ts';
import type { Adapter, Talk } from '../ports/agent.ts';
import type { TreeRequest } from '../ports/workspace.ts';
import { readSeal } from './seal.ts';
import { readFact } from './spool.ts';

/** Real processes on a busy machine: a bound, not an expectation. */
vi.setConfig({ testTimeout: 60_000 });
afterAll(removeRig);

const outputTalk: Talk = {
  isOpen: false,
  begin: () => ({ write: [], events: [] }),
  line: () => ({ write: [], events: [] }),
  decide: () => ({ write: [], events: [] }),
  cancel: () => ({ write: [], events: [] }),
  end: () => ({ outcome: 'turn_ended', text: null, until: null, usage: null, sessionId: null }),
};

test('an agent gets its prompt by file and by stdin, and what it did is recorded', async () => {
  const agent = `cat > stdin; cp "$PAWL_PROMPT_FILE" file; cp "$1" argument
    cp "$PAWL_HISTORY_FILE" history; env > env; echo done, all tests pass`;
  const prompt = 'ä'.repeat(100_000);
  const { exit, told, result, tree, kept, reached, spool, execution } = await run({
    agent,
    prompt,
  });
  expect(exit.how).toBe('handed_in');
  expect(told).toEqual(['claim', expect.stringMatching(/^start /), 'result', 'driver']);
  for (const name of ['stdin', 'file', 'argument']) {
    expect(readFileSync(join(tree, name), 'utf8')).toBe(prompt);
  }
  expect(readFileSync(join(tree, 'history'), 'utf8')).toBe('# Loop Attempt History');
  expect(readFileSync(join(tree, 'env'), 'utf8')).not.toContain('not-for-the-lane');
  expect(result).toMatchObject({
    kind: 'executed',
    outcome: 'turn_ended',
    commit: 'c0ffee',
    filesChanged: 5,
    end: { exit: 0, signal: null, proof: 'kernel', lastLine: 'done, all tests pass' },
  });
  const journal = result?.kind === 'executed' ? kept.get(result.journal ?? ('' as Digest)) : '';
  expect(journal).toContain('done, all tests pass');
  expect(reached).toEqual(
    'opened claimed tree-opened spawned started tree-ended snapshotted artifacts-put sealed result-sent'
      .split(' ')
      .map((name) => `host.${name}`),
  );
  expect(readSeal(spool, execution)?.seal.result).toEqual(result);
});

test('on a worker the end of a turn tells where its tree lies; beside the server it need not', async () => {
  const remote = { bring: async () => undefined, credentials: async () => ({}) };
  const there = await run({ agent: 'true', options: { remote } });
  expect(there.result).toMatchObject({ end: { directory: there.tree } });
  const here = await run({ agent: 'true' });
  expect(here.result?.kind === 'executed' && 'directory' in here.result.end).toBe(false);
});

test('an agent that exits non-zero has ended its turn: the check decides (L-O1, L-E3)', async () => {
  const { result } = await run({ agent: 'echo 429 rate limit; exit 3' });
  expect(result).toMatchObject({ outcome: 'turn_ended', end: { exit: 3 }, limitUntil: null });
});

test('an agent that is killed is a lane that died, whatever it printed (L-E6)', async () => {
  const { result, kept } = await run({ agent: 'echo hit your limit; kill -9 $$' });
  expect(result).toMatchObject({ kind: 'failed', class: 'lane_died', commit: 'c0ffee' });
  // What it printed outlives its spool, on whichever machine that lies.
  const journal = result?.kind === 'failed' ? result.journal : undefined;
  expect(kept.get(journal ?? ('' as Digest))).toContain('hit your limit');
});

test('a program that is not there is named before anything ran (L-O5)', async () => {
  const { result, told } = await run({ agent: '', argv: ['no-such-agent', '{prompt}'] });
  expect(result).toMatchObject({
    kind: 'failed',
    class: 'dispatch_failed',
    detail: expect.stringContaining('there is no program "no-such-agent"'),
  });
  expect(told).toEqual(['claim', 'result', 'driver']);
});

test('a prompt that fits no argument is refused with what to use instead (L-J4)', async () => {
  const prompt = 'x'.repeat(200_000);
  const { result } = await run({ agent: '', argv: ['sh', '{prompt_content}'], prompt });
  expect(result).toMatchObject({ detail: expect.stringContaining('{prompt_content} is 200000') });
});

test.each([
  ['{"outcome":"question","text":"which one?"}', 'question'],
  ['{"outcome":"blocked","text":"which one?"}', 'blocked'],
  ['{"outcome":"limit","text":"which one?","until":1767225600000}', 'limit'],
])('what the result file says is the end of the turn: %s', async (file, outcome) => {
  const { result, kept } = await run({ agent: `printf '%s' '${file}' > "$PAWL_RESULT_FILE"` });
  expect(result).toMatchObject({ kind: 'executed', outcome });
  expect(result?.kind === 'executed' && result.text !== null && kept.get(result.text)).toBe(
    'which one?',
  );
});

test('a result file with an unknown key is an invalid result', async () => {
  const agent = `echo '{"outcome":"done","passed":true}' > "$PAWL_RESULT_FILE"`;
  expect((await run({ agent })).result).toMatchObject({ outcome: 'invalid_result' });
});

test('a program that left its result and never exits is ended, and its result stands (L-D1, L-O3)', async () => {
  const agent = `echo '{"outcome":"done"}' > "$PAWL_RESULT_FILE"; sleep 600; true`;
  const { result, tree } = await run({ agent });
  expect(result).toMatchObject({ outcome: 'turn_ended', end: { exit: null, signal: null } });
  expect(living(tree)).toEqual([]);
});

test('time that is up ends the whole tree, children in sessions of their own too (L-J1, L-L3)', async () => {
  const agent =
    'trap "" TERM; setsid sh -c \'trap "" TERM; sleep 601; : "$0"\' "$0" & sleep 602; true';
  const { result, tree } = await run({ agent, dispatch: { deadlineMs: 500 } });
  expect(result).toMatchObject({ class: 'window_exhausted', commit: 'c0ffee', proof: 'kernel' });
  expect(living(tree)).toEqual([]);
});

test('a cancel ends an agent that ignores it, and is acknowledged with the proof (L-B11)', async () => {
  const { told, exit, tree, result } = await run({
    agent: 'trap "" TERM INT HUP; while :; do sleep 0.05; done',
    beats: () => ({ ok: true, cancel: true, pause: false }),
  });
  expect(exit.how).toBe('cancelled');
  expect(told).toEqual(['claim', expect.stringMatching(/^start/), 'cancel-ack kernel', 'driver']);
  expect(result).toBeUndefined();
  expect(living(tree)).toEqual([]);
});

test('a cancel that may not wait asks nobody: the tree ends before its grace (L-B11)', async () => {
  const patient = { ok: true, cancel: true, pause: false } as const;
  for (const first of [patient, { ...patient, now: true } as const]) {
    let beats = 0;
    const { exit, tree, told } = await run({
      agent: 'trap "" TERM INT HUP; while :; do sleep 0.05; done',
      // Heard at once, or while the patient cancel waits.
      beats: () => {
        beats += 1;
        return beats === 1 ? first : { ...patient, now: true };
      },
      options: { spans: { graceMs: 600_000 } },
    });
    expect(exit.how).toBe('cancelled');
    expect(told).toContain('cancel-ack kernel');
    expect(living(tree)).toEqual([]);
  }
});

test('after a refusal nothing is written to the store, and the spool says so (D-33)', async () => {
  const { told, exit, spool, tree } = await run({
    agent: 'sleep 603; true',
    beats: () => ({ ok: false, reason: 'grant.stale' }),
  });
  expect(exit).toEqual({ how: 'fenced', detail: 'grant.stale' });
  expect(told).toEqual(['claim', expect.stringMatching(/^start/)]);
  expect(readFact(spool, 'fenced')).toMatchObject({ reason: 'grant.stale' });
  expect(living(tree)).toEqual([]);
});

test.each([
  ['fenced off', { beats: () => ({ ok: false, reason: 'grant.stale' }) as const }],
  ['refused', { result: async () => ({ ok: false, reason: 'grant.stale' }) as const }],
])(
  'a worker that was %s sets its tree aside; one in the project itself never is (XP-11)',
  async (_, said) => {
    const remote = { bring: async () => undefined, credentials: async () => ({}) };
    for (const isolation of ['worktree', 'none'] as const) {
      const aside: unknown[] = [];
      const quarantine = async (...of: unknown[]) => aside.push(of) > 0;
      const agent = 'beats' in said ? 'sleep 604; true' : 'true';
      const { tree, execution } = await run({
        ...{ agent, isolation, ...said, workspace: { quarantine }, options: { remote } },
      });
      expect(aside).toEqual(isolation === 'worktree' ? [[tree, execution]] : []);
    }
  },
);

test('a claim that was lost starts nothing (D-19)', async () => {
  const { exit, told, opened } = await run({
    agent: 'touch ran',
    claim: async () => ({ ok: false, reason: 'execution.taken' }),
  });
  expect(exit.how).toBe('not_claimed');
  expect(told).toEqual(['claim']);
  expect(opened).toEqual([]);
});

test('a store that does not answer leaves the result sealed for whoever comes (L-D14)', async () => {
  const { exit, spool, execution } = await run({
    agent: 'true',
    result: async () => {
      throw new Error('busy');
    },
  });
  expect(exit.how).toBe('left_sealed');
  expect(readSeal(spool, execution)?.seal.result.kind).toBe('executed');
});

test('when a later pawl migrates the store it keeps its lane, seals and leaves (D-61)', async () => {
  const newer = new WorldError('store_newer', 'the store has format 3, this pawl knows 2');
  const refuse = () => {
    throw newer;
  };
  const { exit, told, spool, execution } = await run({
    agent: 'while [ ! -e "$(dirname "$PAWL_RESULT_FILE")/../cut.json" ]; do sleep 0.02; done',
    beats: refuse,
    result: refuse,
  });
  expect(exit.how).toBe('left_sealed');
  expect(readSeal(spool, execution)?.seal.result).toMatchObject({ kind: 'executed' });
  expect(readFact(spool, 'cut')).toMatchObject({ grantId: 'grant', beat: expect.any(Number) });
  // Somebody of the later pawl must go on with the run.
  expect(told).toEqual(['claim', expect.stringMatching(/^start/), 'driver']);
});

test('a planted secret is nowhere in the spool, the result or the arguments (L-N1, L-N4, L-N5)', async () => {
  const value = 'planted-secret-value';
  const { spool, result, kept } = await run({
    agent:
      'env; printf "%s" "$KEY" >&2; tr "\\0" " " < /proc/$$/cmdline; echo "{\\"outcome\\":\\"question\\",\\"text\\":\\"$KEY\\"}" > "$PAWL_RESULT_FILE.x"; mv "$PAWL_RESULT_FILE.x" "$PAWL_RESULT_FILE"',
    secrets: { KEY: 'env:PLANTED' },
    options: { env: { PATH: process.env['PATH'], PLANTED: value } },
  });
  const files = readdirSync(spool, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'result.json')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect([...files, JSON.stringify(result), ...kept.values()].join()).not.toContain(value);
  expect([...kept.values()].join()).toContain('‹redacted KEY›');
});

test('a secret that cannot be had parks for it before anything runs', async () => {
  const { result, opened } = await run({ agent: 'touch ran', secrets: { KEY: 'env:MISSING' } });
  expect(result).toMatchObject({ class: 'auth_required' });
  expect(opened).toEqual([]);
});

test('beats go on while a secret is had elsewhere, whose command may take long (L-H9)', async () => {
  let beats = 0;
  const credentials = async () => {
    await vi.waitFor(() => expect(beats).toBeGreaterThan(0));
    return { KEY: 'had-late' };
  };
  const { exit, tree } = await run({
    agent: 'printf "%s" "$KEY" > key',
    secrets: { KEY: 'command:slow' },
    ttlMs: 1_500,
    beats: () => {
      beats += 1;
      return null;
    },
    options: { remote: { bring: async () => undefined, credentials } },
  });
  expect(exit.how).toBe('handed_in');
  expect(readFileSync(join(tree, 'key'), 'utf8')).toBe('had-late');
});

test('a server that does not answer for a secret has not said that there is none (XP-15)', async () => {
  const credentials = async () => {
    throw new TransientError('plane_unreachable', 'no answer from https://there');
  };
  const remote = { bring: async () => undefined, credentials };
  const { result } = await run({ agent: '', secrets: { KEY: 'env:KEY' }, options: { remote } });
  expect(result).toMatchObject({ class: 'transport_lost' });
});

test('a tree that cannot be made is a failed dispatch, one that vanished is lost (L-C4)', async () => {
  const throwing = (code: 'internal_error') => async () => {
    throw new WorldError(code, 'no tree');
  };
  const made = await run({ agent: '', workspace: { openTree: throwing('internal_error') } });
  expect(made.result).toMatchObject({ class: 'dispatch_failed', detail: 'no tree' });
  const lost = await run({ agent: 'true', workspace: { snapshot: throwing('internal_error') } });
  expect(lost.result).toMatchObject({ class: 'workspace_lost', proof: 'kernel' });
});

test('a tree that was made is furnished, and a setup that fails says so (L-G18)', async () => {
  const created = async (request: TreeRequest) => ({
    directory: request.root,
    root: request.root,
    branch: null,
    base: null,
    created: true,
    isolation: 'worktree' as const,
  });
  const furnish = async () => ({ how: 'setup', ok: false, detail: 'npm ci: exit 1' }) as const;
  const { result } = await run({
    agent: 'touch ran',
    workspace: { openTree: created },
    options: { checks: { ...noFiles, furnish } },
  });
  expect(result).toMatchObject({ class: 'setup_failed', detail: 'npm ci: exit 1' });
});

test('a tree that another process has open is left to it, and a new one is taken', async () => {
  const { opened, execution } = await run({ agent: 'true', options: { holders: () => ['pid 7'] } });
  expect(opened.map(({ fresh }) => fresh)).toEqual([null, execution]);
});

test('20 MB on both streams neither block nor fill the host (L-I4)', async () => {
  const agent = 'yes | head -c 20000000 >&2 & yes | head -c 20000000; wait; echo; echo end';
  const { result, spool } = await run({ agent, ttlMs: 10_000 });
  expect(result).toMatchObject({ outcome: 'turn_ended', end: { lastLine: 'end' } });
  expect(readdirSync(join(spool, 'journal')).length).toBeLessThanOrEqual(3);
});

test('an adapter is told whether to use what the user has for its agent (UX 1.5)', async () => {
  const seen: string[] = [];
  const adapter = (): Adapter => ({
    ...{ name: 'a', version: '1' },
    launch: ({ agentConfig, role }) => {
      seen.push(agentConfig);
      return { argv: role.command ?? [], env: {}, stdin: null, talk: outputTalk };
    },
  });
  const agent = 'true';
  await run({ agent, options: { adapter }, definition: { agentConfig: 'user' } });
  await run({ agent, options: { adapter } });
  expect(seen).toEqual(['user', 'clean']);
});

test('a judge is asked in its own tree, and its answer is read from what it printed', async () => {
  const agent = 'read -r line; echo "{\\"pass\\": true, \\"heard\\": \\"$line\\"}"';
  const { result, told, kept } = await run({ agent, role: 'judge' });
  expect(result).toMatchObject({ kind: 'verified', facts: { outcome: 'passed' } });
  expect([...kept.values()].join()).toContain('judge the patch');
  expect(told).toEqual(['claim', expect.stringMatching(/^start/), 'removed', 'result', 'driver']);
});

test('a judge that dies has not ended its turn', async () => {
  const { kept } = await run({ agent: 'echo pass; kill -9 $$', role: 'judge' });
  expect([...kept.values()].join()).toContain('\\"ended\\":false');
});

test('a judge whose words are blanks has said nothing', async () => {
  const said = '{"outcome":"done","text":"  "}';
  const agent = `echo '${said}' > "$PAWL_RESULT_FILE"`;
  const { kept } = await run({ agent, role: 'judge' });
  expect([...kept.values()].join()).toContain('\\"text\\":null');
});

test('a host that is told to end takes its tree with it and says nothing', async () => {
  const asked = new AbortController();
  const { exit, told, tree } = await run({
    agent: 'sleep 604; true',
    options: {
      faults: { reached: (name) => (name === 'host.started' ? asked.abort() : undefined) },
    },
    asked: asked.signal,
  });
  expect(exit.how).toBe('asked');
  expect(told).toEqual(['claim', expect.stringMatching(/^start/)]);
  expect(living(tree)).toEqual([]);
  expect(existsSync(tree)).toBe(true);
});
