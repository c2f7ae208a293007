/**
 * Goal: every clause can fail, and fails for its own reason. Method: one small agent program that
 * keeps all clauses, and one mode of it for each thing that can be broken.
 */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { statOf } from '../../../src/host/process-table.ts';
import { nodeProcesses } from '../../../src/host/processes.ts';
import type { ContainedProcess, Processes, Proof } from '../../../src/ports/processes.ts';
import type { Clause } from '../../../src/testing/agents/clause.ts';
import { failureClauses } from '../../../src/testing/agents/failure-clauses.ts';
import { type AgentProfile, type ClauseId, conformance } from '../../../src/testing/index.ts';
import { type AgentBench, agentBench, type BenchOptions } from '../../support/agent-bench.ts';
import { removeRig } from '../../support/lane-rig.ts';
import { leftBehind } from '../../support/left-behind.ts';
import { type FakeOptions, fakeAdapter } from './fake-adapter.ts';

const profile: AgentProfile = {
  name: 'fake',
  pinned: '1.2.3',
  quietEnv: { FAKE_TELEMETRY: 'off' },
  quietFiles: { 'config.json': ['"updates":false'] },
  quietWords: [],
  homeVariables: ['FAKE_HOME'],
  impossible: {},
};
const today = new Date('2026-12-01T12:00:00Z');

const isRunning = (pid: number) => !['Z', undefined].includes(statOf(pid)?.state);

const open: AgentBench[] = [];
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.close();
});
afterAll(removeRig);

interface Trying extends Partial<FakeOptions> {
  readonly bench?: Partial<BenchOptions>;
  readonly profile?: Partial<AgentProfile>;
  readonly only?: readonly ClauseId[];
}

async function tried(trying: Trying) {
  const bench = await agentBench({
    adapter: () => fakeAdapter({ modes: [], ...trying }),
    role: { agent: 'fake', model: null },
    vendor: 'openai',
    ...trying.bench,
  });
  open.push(bench);
  const results = await conformance({ ...profile, ...trying.profile }, bench.lanes, {
    directory: bench.directory,
    today,
    ...(trying.only === undefined ? {} : { only: trying.only }),
  });
  const outcomes = results.map(({ clause, outcome }) => [clause, outcome] as const);
  return {
    bench,
    outcomes: Object.fromEntries(outcomes),
    failed: results.filter(({ outcome }) => outcome.result === 'fail').map(({ clause }) => clause),
    notRun: results.flatMap(({ clause, outcome }) =>
      outcome.result === 'not_run' ? [clause] : [],
    ),
    detail: results.flatMap(({ outcome }) => (outcome.result === 'fail' ? [outcome.detail] : [])),
  };
}

test('an agent that keeps the contract passes every clause', async () => {
  const before = leftBehind();
  const { outcomes, detail, bench } = await tried({});
  expect(detail).toEqual([]);
  expect(Object.values(outcomes).map(({ result }) => result)).toEqual(Array(31).fill('pass'));
  expect(await bench.close()).toEqual([]);
  expect(leftBehind()).toEqual(before);
});

describe('a broken agent fails its own clause', () => {
  const single: readonly ClauseId[] = [
    ...(['C0', 'C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C7', 'C8', 'C9', 'C10', 'C11'] as const),
  ];
  const modes: readonly (readonly [string, ClauseId | readonly ClauseId[], RegExp])[] = [
    ['has_no_version', 'C0', /tell its version/],
    ['cuts_prompts', 'C2', /came in one piece/],
    ['has_no_tools', 'C3', /never started the server of tools/],
    ['lists_no_tools', 'C3', /asked only for initialize/],
    ['silent', 'C4', /nothing was heard/],
    ['hides_questions', 'C5', /its question ended as: /],
    ['miscounts', 'C6', /it reported in 1214.*and spent in 2428/],
    ['writes_elsewhere', 'C7', /there is no published\.txt/],
    ['has_no_session', 'C8', /the id of its session/],
    ['forgets', ['C5', 'C9'], /what came before it.*not told again: the first prompt/],
    ['leaves_early', 'C10', /it ended before its tool did/],
    ['litters', 'C11', /session-.*lies in the tree/],
    ['goes_outside', 'C11', /it asked telemetry\.invalid, past the door/],
  ];
  test.each(modes)('%s: %s', async (mode, clause, says) => {
    const { failed, detail } = await tried({ modes: [mode], only: single });
    expect(failed).toEqual([clause].flat());
    expect(detail.join()).toMatch(says);
  });

  test('what cannot be believed after it is not run', async () => {
    const { failed, notRun } = await tried({ modes: ['has_no_session'], only: single });
    expect(failed).toEqual(['C8']);
    expect(notRun).toEqual(['C5', 'C6', 'C9', 'C10']);
  });

  test('an adapter that leaves telemetry on, or gives no home: C1', async () => {
    const loud = await tried({ forgets: 'quiet', only: ['C1'] });
    expect([loud.failed, loud.detail]).toEqual([['C1'], ['FAKE_TELEMETRY is not off']]);
    const quietFiles = { 'config.json': ['"telemetry":false'], 'other.json': ['{'] };
    const words = await tried({ only: ['C1'], profile: { quietFiles, quietWords: ['--offline'] } });
    expect([words.failed, words.detail]).toEqual([
      ['C1'],
      [
        'config.json does not say "telemetry":false; other.json does not say {; ' +
          'it is not started with --offline',
      ],
    ]);
    const homeless = await tried({ forgets: 'home', only: ['C1'] });
    expect(homeless.failed).toEqual(['C1']);
    expect(homeless.detail.join()).toMatch(/FAKE_HOME is.*; it wrote .*session-.* of its user's/);
  });

  test('a host that lets a secret of the shell through: C1', async () => {
    const { failed, detail } = await tried({ only: ['C1'], bench: { allow: ['GITHUB_TOKEN'] } });
    expect([failed, detail]).toEqual([
      ['C1'],
      ['a secret of the operator reached it in GITHUB_TOKEN'],
    ]);
  });

  test('an agent that keeps a key which it was let see: C11', async () => {
    const { failed, detail } = await tried({
      ...{ only: ['C11'], modes: ['keeps_its_environment'] },
      bench: { allow: ['GITHUB_TOKEN'] },
    });
    expect(failed).toEqual(['C11']);
    expect(detail.join()).toMatch(/^a secret is in .*environment\.json$/);
  });

  test('a version that is not the installed one: C0', async () => {
    const { failed, detail } = await tried({ only: ['C1'], profile: { pinned: '1.3.0' } });
    expect([failed, detail]).toEqual([['C0'], ['it is version 1.2.3, and 1.3.0 is installed']]);
  });

  test('a host that ends only the process which it started: C12', async () => {
    // Under the kernel's own containment even such a host would leave nothing.
    const careless = (stateDirectory: string): Processes => {
      const real = nodeProcesses({ stateDirectory, forceRung: 'marker' });
      const end = async ({ pid, exited }: ContainedProcess): Promise<Proof> => {
        if (isRunning(pid)) process.kill(pid, 'SIGKILL');
        await exited;
        return { strength: 'kernel', rung: 'none', gaps: [] };
      };
      return {
        ...real,
        async spawn(spec) {
          const lane = await real.spawn(spec);
          return { ...lane, end: () => end(lane) };
        },
      };
    };
    const bench = { processes: careless };
    const { failed, detail } = await tried({ only: ['C12'], bench });
    expect(failed).toEqual(['C12']);
    expect(detail.join()).toMatch(/after cancel there lives \d+ tail -f/);
    expect(detail.join()).toMatch(/after kill there lives \d+ tail -f/);
  });

  test('an agent that was not at work when it was to be ended: C12', async () => {
    const { failed, detail } = await tried({ only: ['C12'], modes: ['leaves_early'] });
    expect([failed, detail]).toEqual([['C12'], ['it never ran the tool of this scene']]);
  });

  test('success that is claimed over a failed model is believed by nobody: F', async () => {
    const only = ['F:unauthorized', 'F:context_overflow', 'F:server_error', 'F:drop'] as const;
    // The models door tells what became of the call, whatever the program claims.
    const { failed } = await tried({ modes: ['claims_success'], only });
    expect(failed).toEqual([]);
    const result = { kind: 'executed', outcome: 'turn_ended' };
    const failing = async () => ({
      turn: { result, end: { outcome: 'turn_ended', text: 'All done.' } },
    });
    const believed = { failing } as unknown as Parameters<Clause['check']>[0];
    for (const clause of failureClauses) {
      const told = (await clause.check(believed)).join();
      expect(told, clause.id).toContain('it was taken for turn_ended');
    }
  });
});

describe('the outcomes are a closed set', () => {
  test('a program that is not there is no fault of its adapter', async () => {
    const adapter = fakeAdapter({ modes: [] });
    const missing = () => ({
      ...adapter,
      launch: (setting: Parameters<typeof adapter.launch>[0]) => ({
        ...adapter.launch(setting),
        argv: ['no-such-agent'],
      }),
    });
    const { outcomes } = await tried({ only: ['C1', 'C2'], bench: { adapter: missing } });
    expect(outcomes).toMatchObject({
      C0: { result: 'fail', kind: 'infrastructure' },
      C1: { result: 'not_run', after: 'C0' },
      C2: { result: 'not_run', after: 'C0' },
    });
  });

  test('a skip has a reason and a day, after which it fails', async () => {
    const reason = 'it has no servers of tools';
    const skip = (until: string) =>
      tried({
        only: ['C3'],
        modes: ['has_no_tools'],
        profile: { impossible: { C3: { reason, until } } },
      });
    expect((await skip('2026-12-01')).outcomes).toMatchObject({
      C3: { result: 'skip', reason, until: '2026-12-01' },
    });
    expect((await skip('2026-11-30')).detail).toEqual([
      'the skip ended on 2026-11-30: it has no servers of tools',
    ]);
    expect((await skip('soon')).failed).toEqual(['C3']);
  });
});
