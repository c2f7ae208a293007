/**
 * Goal: for every reason there is, the escalation names job, class, evidence, each recovery and
 * each nudge with what became of it, and ways on; and every command on its page can be typed.
 * Method: one stream whose lane is nudged, lost twice and healed once, parked for each reason in
 * turn; the page and the JSON of `show`, and each command of the page through the parser.
 */
import { describe, expect, test } from 'vitest';
import { at, digest, exampleView, execution } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import { optionsFor } from '../domain/escalation/options.ts';
import { dispositionOf } from '../domain/run/park.ts';
import { parkReasons } from '../domain/run/state.ts';
import type { StoredEvent } from '../ports/store.ts';
import type { ParkReason } from '../ports/words.ts';
import { findCommand } from './commands.ts';
import { parse } from './parse.ts';

const reasons: readonly ParkReason[] = Object.values(parkReasons).flat();

const point = { job: 'execute', session: 'fresh', tree: 'same', commit: null } as const;
const onwards = Object.fromEntries([['then', point]]);
const dispatched = (n: number, job: 'prepare' | 'execute' = 'execute') => ({
  ...{ type: 'job.dispatched', execution: execution(n), n, attempt: 1, why: 'first' },
  point: job === 'execute' ? point : { job },
  ...{ tries: 0, parseRetries: 0 },
});
const signs = {
  ...{ state: 'stalled', reason: 'model_wait', delivery: 'started', stalledMs: 105_000 },
  ...{ outputAt: at(100), fileAt: at(40), cpuAt: null },
};
const lost = (n: number, detail: string, action = 'requeue') => [
  {
    ...{ type: 'execution.failed', id: execution(n), class: 'lane_died', proof: 'kernel', detail },
    ...{ seal: null, result: null, signs },
  },
  {
    ...{ type: 'recovery.recorded', execution: execution(n), class: 'lane_died' },
    ...{ proof: 'kernel', action, detail },
  },
];
const nudged = (n: number) => ({
  ...{ type: 'execution.nudged', id: execution(2), n, detail: 'its model does not answer' },
});

function streamOf(reason: ParkReason): readonly object[] {
  return [
    { type: 'run.started', definition: digest('d') },
    dispatched(1, 'prepare'),
    ...lost(1, 'exit 9'),
    dispatched(2, 'prepare'),
    { type: 'execution.succeeded', id: execution(2), seal: digest('5'), result: {} },
    dispatched(3),
    { ...nudged(1), id: execution(3) },
    { ...nudged(2), id: execution(3) },
    ...lost(3, 'no progress'),
    dispatched(4),
    ...lost(4, 'exit 134', 'give_up'),
    {
      ...{ type: 'run.parked', disposition: dispositionOf(reason), reason, ...onwards },
      ...{ detail: 'why', text: null, class: reason === 'recovery_exhausted' ? 'lane_died' : null },
    },
  ];
}

function parkedFor(reason: ParkReason) {
  const work = { best: 1, paths: ['ci.yml'], isUnjudged: false };
  const facts = { ...work, maker: 'claude', agent: 'codex', worker: 'w1' };
  const options = optionsFor(reason, '7k2m', facts).map(({ text, command }) => ({
    effect: text,
    command,
  }));
  const view = exampleView({
    ...{ status: 'needs_operator', phase: null, execution: null, reason, options },
    ...{ disposition: dispositionOf(reason), detail: 'why', attempt: { n: 1, max: 5 } },
  });
  const client = scriptedClient([view]);
  streamOf(reason).forEach((event, i) => {
    client.emit(at(i * 10), event as StoredEvent['event']);
  });
  return client;
}

const show = (reason: ParkReason, ...more: string[]) =>
  typed(['show', '7k2m', ...more], { client: parkedFor(reason), terminal: { columns: 200 } });

describe.each(reasons)('%s', (reason) => {
  test('its page says what is stuck, why, what was seen and tried, and what can be done (RR-32)', async () => {
    const { out } = await show(reason);
    expect(out).toMatch(
      /stopped +(?:stalled|budget exhausted|escalated): .+ job: execute, attempt 1/,
    );
    expect(out).toContain(`execution ${execution(4)}`);
    expect(out).toContain('lane      ended: lane died: exit 134');
    expect(out).toMatch(/signs +stalled \(model wait\), stalled for 2m in all · output \S+ before/);
    expect(out).toMatch(/CPU never · prompt started/);
    expect(out).toMatch(/printed +read src\/parse\.ts\n +red warning/);
    expect(out).toMatch(/nudged .*no\. 1 \(its model does not answer\), then: lane died/);
    expect(out).toMatch(/lane died → requeue \(exit 9\), it went on/);
    expect(out).toMatch(/lane died → requeue \(no progress\), failed: lane died/);
    expect(out).toMatch(/lane died → give up \(exit 134\)/);
    expect(out.split('\n').length).toBeLessThanOrEqual(40);
  });

  test('its artifact says the same (RR-32)', async () => {
    const { out } = await show(reason, '--json');
    const { escalation } = JSON.parse(out);
    expect(escalation).toMatchObject({
      ...{ reason, job: { role: 'execute', attempt: 1, execution: execution(4) } },
      class: reason === 'recovery_exhausted' ? 'lane_died' : reason,
      evidence: {
        ended: 'lane died: exit 134',
        printed: ['read src/parse.ts', 'red warning'],
        signs: { state: 'stalled', outputAgeMs: 20_000, fileAgeMs: 80_000, cpuAgeMs: null },
      },
      recoveries: [
        { execution: execution(1), action: 'requeue', outcome: 'went_on', failed: null },
        { execution: execution(3), outcome: 'failed', failed: { detail: 'exit 134' } },
        { execution: execution(4), action: 'give_up', outcome: 'none', failed: null },
      ],
      nudges: [
        { n: 1, lost: { class: 'lane_died' } },
        { n: 2, lost: { class: 'lane_died' } },
      ],
    });
    expect(escalation.options.length).toBeGreaterThan(0);
  });

  test('each command on its page can be typed as it stands (RR-34)', async () => {
    const { out } = await show(reason);
    const lines = out.slice(out.indexOf('\n  options')).split('\n');
    const commands = lines.flatMap((line) =>
      [...line.matchAll(/pawl [^·)]+/g)].map(([one]) => one),
    );
    expect(commands.length).toBeGreaterThan(0);
    for (const line of commands) await expectTypable(line);
  });
});

/** As a shell splits it, up to a word that is none of the command's. */
async function expectTypable(line: string): Promise<void> {
  const [command = ''] = line.split(/ {2,}/);
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(
    ([word, double, single]) => double ?? single ?? word,
  );
  const found = await findCommand(words.slice(1));
  if (found === null) throw new Error(`no such command: ${line}`);
  const { name, flags, arguments: own } = found.command;
  const given = parse(name, words.slice(1 + found.used), flags);
  expect(given.words.length, line).toBeGreaterThanOrEqual(own.min);
  expect(given.words.length, line).toBeLessThanOrEqual(own.max);
}

test('a lane that ended by its own result is told by that, however the one before it died', async () => {
  const client = parkedFor('attempts_exhausted');
  client.emit(at(500), dispatched(5) as unknown as StoredEvent['event']);
  client.emit(at(510), {
    ...{ type: 'turn.ended', attempt: 1, commit: null, equalsBase: false, filesChanged: 0 },
    end: { exit: 0, signal: null, rung: 'namespace', proof: 'kernel', lastLine: 'all done' },
    ...{ sessionId: null, journal: null },
  } as unknown as StoredEvent['event']);
  const { out } = await typed(['show', '7k2m'], { client, terminal: { columns: 200 } });
  expect(out).toContain('lane      ended normally (exit 0) · last line: "all done"');
  expect(out).not.toMatch(/\n {2}signs/);
});

test('what a lane printed stays to be read when its log is gone (RR-32)', async () => {
  const client = parkedFor('recovery_exhausted');
  const gone = { ...client, log: async () => ({ lines: [], ended: true }) };
  const told = async () => {
    const { out } = await typed(['show', '7k2m', '--json'], { client: gone });
    return JSON.parse(out).escalation;
  };
  const first = (await typed(['show', '7k2m', '--json'], { client })).out;
  expect(JSON.parse(first).escalation.artifact).toBeNull();
  expect((await told()).evidence.printed).toEqual([]);
  const { artifact: _, ...page } = JSON.parse(first).escalation;
  const [escalation, other] = [digest('e'), digest('f')];
  const kept = { schema: 'pawl.escalation/1', run: client.view().id, ...page };
  const timed = (at: string) => Date.parse(at);
  const text = JSON.stringify({ ...kept, since: timed(kept.since) }, (key, value) =>
    key === 'at' ? timed(value) : value,
  );
  client.artifacts.set(escalation, text);
  client.artifacts.set(other, JSON.stringify({ ...JSON.parse(text), more: 1 }));
  client.change({ escalation });
  const page2 = await told();
  expect(page2).toMatchObject({ artifact: escalation, since: page.since });
  expect(page2.evidence.printed).toEqual(['read src/parse.ts', 'red warning']);
  const { out } = await typed(['show', '7k2m'], { client: gone, terminal: { columns: 200 } });
  expect(out).toMatch(/printed +read src\/parse\.ts\n +red warning/);
  client.change({ escalation: other });
  expect((await told()).evidence.printed).toEqual([]);
});

test('what works in the folder of a user is sent to no worker, and that is said (RR-34)', async () => {
  const client = parkedFor('disk_full');
  client.change({ branch: null });
  const { exit, err } = await typed(['resume', '7k2m', '--on', 'w1'], { client });
  expect(exit).toBe(2);
  expect(err).toMatch(/--on does not fit: 7k2m is parked/);
  expect(err).toMatch(/itself, on this machine alone/);
  expect(err).toMatch(/next +pawl resume 7k2m/);
  const facts = { best: null, paths: [], maker: 'claude', isUnjudged: false, worker: 'w1' };
  const offered = (isInPlace: boolean) =>
    optionsFor('disk_full', '7k2m', { ...facts, isInPlace }).map(({ command }) => command);
  expect(offered(false)).toContain('pawl resume 7k2m --on w1');
  expect(offered(true)).not.toContain('pawl resume 7k2m --on w1');
});
