/**
 * Goal: whatever job of a run is at work when its process is killed, the run completes without its
 * operator, and no attempt is spent: nothing that was done has to be done again (RR-45). What is
 * asked about a parked run is answered all the same, and the run stays as it was (EV-7).
 * Method: a run whose every job waits in its middle until a test lets it go on; the process itself,
 * or the host over it, gets SIGKILL; a witness outside of pawl counts who began.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { role } from '../../src/contract/plane-words.ts';
import { type Finished, type Pawl, pawl } from '../support/pawl.ts';
import { signal, until } from '../support/processes.ts';
import { type Watched, watchedProject } from '../support/watched-project.ts';
import { waitMs } from './stage.ts';
import { note } from './table.ts';

type Role = (typeof role.options)[number];
/** What a job has run: each waits while a file of its name is there. */
type Part = 'setup' | 'baseline' | 'turn' | 'check' | 'judge' | 'opinion';

/** One for each type of job that the source knows; one without a case does not compile. */
const parts: Readonly<Record<Role, readonly Part[]>> = {
  prepare: ['setup', 'baseline'],
  execute: ['turn'],
  verify: ['check'],
  judge: ['judge'],
  consult: ['opinion'],
};
const hosts: Readonly<Record<Role, string>> = {
  prepare: '/check-host.js',
  execute: '/lane-host.js',
  verify: '/check-host.js',
  judge: '/lane-host.js',
  consult: '/lane-host.js',
};

/** `node part.mjs <folder> <part>`: tells that it began, waits, and does what it is there for. */
const program = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
const [folder, name, role] = process.argv.slice(2);
const isDone = () => readFileSync('answer.txt', 'utf8') === '42\\n';
const isFirst = name === 'check' && readFileSync('answer.txt', 'utf8') === '0\\n';
const part = role === 'consult' ? 'opinion' : isFirst ? 'baseline' : name;
appendFileSync(folder + '/began', part + '\\n');
while (existsSync(folder + '/' + part)) await wait(50);
if (part === 'turn') writeFileSync('answer.txt', existsSync(folder + '/wrong') ? '41\\n' : '42\\n');
if (part === 'judge') console.log('{"pass":true,"score":0.9,"reasons":["right"]}');
if (part === 'opinion') console.log('it is 42');
if (name === 'check' && !isDone()) process.exit(1);
`;

const file = (folder: string) => {
  const argv = (part: Part) => `[node, ${folder}/part.mjs, ${folder}, ${part}]`;
  return `version: 1
agents: { maker: { command: ${argv('turn')} }, judge: { command: [node, ${folder}/part.mjs, ${folder}, judge, '{current_phase}'] } }
brakes: { attempts: 1 }
roles: { execute: { agent: maker }, verify: { profile: oracle, agent: judge } }
setup: node ${folder}/part.mjs ${folder} setup
criteria: [{ test: node ${folder}/part.mjs ${folder} check }, { oracle: The answer is right. }]
`;
};

interface Stage {
  readonly own: Pawl;
  readonly work: Watched;
  began(part: Part): number;
}

async function onStage(part: Part, act: (stage: Stage) => Promise<void>): Promise<void> {
  const own = pawl();
  const work = watchedProject(own.root);
  const options = { cwd: work.directory };
  writeFileSync(join(own.root, 'part.mjs'), program);
  writeFileSync(join(own.root, 'began'), '');
  writeFileSync(join(own.root, part), '');
  if (part === 'opinion') writeFileSync(join(own.root, 'wrong'), '');
  writeFileSync(join(work.directory, 'pawl.yaml'), file(own.root));
  const began = (name: Part) =>
    readFileSync(join(own.root, 'began'), 'utf8')
      .split('\n')
      .filter((one) => one === name).length;
  try {
    const started = await own.run(['run', 'find the answer', '--name', 'one', '-d'], options);
    expect(started.exit, started.stdout + started.stderr).toBe(0);
    await act({ own, work, began });
  } finally {
    rmSync(join(own.root, part), { force: true });
    await own.run(['cancel', 'one', '--now', '--yes'], options);
    await own.close();
  }
}

const cases = role.options.flatMap((type) =>
  parts[type].flatMap((part) =>
    (['process', 'host'] as const).map((victim) => ({ type, part, victim })),
  ),
);

test.each(cases)(
  '$type: the $victim of its $part is killed; nobody is asked, no attempt is spent (RR-5, RR-29, RR-45)',
  async ({ type, part, victim }) => {
    await onStage(part, async ({ own, work, began }) => {
      const options = { cwd: work.directory, timeoutMs: 2 * waitMs };
      const wait = own.start(['wait', 'one', '--json'], options).finished;
      // The run is parked before anybody is asked.
      if (type === 'consult') expect((await wait).exit).toBe(3);
      const line = ['consult', 'one', '--profiles', 'oracle', '--json'];
      const heard = type === 'consult' ? own.onTerminal(line, options) : null;
      expect(await until(() => began(part) === 1, waitMs), `${part} is at work`).toBe(true);
      const from = performance.now();
      const killed = own.processes().filter(({ command }) => {
        const isPart = /^node .* (?:check|setup|turn|judge(?: \w+)?)$/.test(command);
        return victim === 'process' ? isPart : command.includes(hosts[type]);
      });
      expect(killed.length, `somebody to be killed`).toBeGreaterThan(0);
      for (const one of killed) signal(one, 'SIGKILL');
      expect(await until(() => began(part) === 2, waitMs), `${part} is done again`).toBe(true);
      const afterS = (performance.now() - from) / 1_000;
      expect(existsSync(join(own.root, part))).toBe(true);
      rmSync(join(own.root, part));
      if (heard !== null) return opinionCame(await heard, began);
      const ended = (await wait).json() as { readonly runs: readonly Ended[] };
      const [run] = ended.runs;
      const made = (['setup', 'baseline', 'turn', 'check', 'judge'] as const).filter(
        (one) => began(one) !== (one === part ? 2 : 1),
      );
      const row = { shown: null, trueAfterS: null, afterS, doubled: made.length, lost: 0 };
      const end = run?.status === 'complete' ? 'recovered' : String(run?.reason);
      const attempts = run?.attempt.n ?? 0;
      note({ fault: `${type}: kill -9 of the ${victim} of its ${part}`, ...row, end, attempts });
      expect(run).toMatchObject({ status: 'complete', verification: 'passed', attempt: { n: 1 } });
      expect(made, 'done again without need').toEqual([]);
    });
  },
);

/** The run is as it was parked; nothing but the opinion was begun twice. */
function opinionCame(heard: Finished, began: Stage['began']): void {
  expect(heard.exit, heard.stdout).toBe(0);
  expect(heard.json()).toMatchObject({
    ...{ status: 'needs_operator', reason: 'attempts_exhausted', attempt: { n: 1 } },
    opinions: [{ profile: 'oracle', role: 'verify', outcome: 'given', text: 'it is 42' }],
  });
  expect({ turn: began('turn'), opinion: began('opinion') }).toEqual({ turn: 1, opinion: 2 });
}

interface Ended {
  readonly status: string;
  readonly reason: string | null;
  readonly attempt: { readonly n: number };
}
