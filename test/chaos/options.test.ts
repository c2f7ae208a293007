/**
 * Goal: a run that nothing heals is parked within its grace, and each command that its page prints
 * does what it says when it is pasted (RR-34, RR-47).
 * Method: as many runs as the page has options, parked in the same way; each command is taken from
 * the page as a terminal shows it, filled only where it has a placeholder, and pasted into a shell
 * on a terminal of its own. A command of a kind that is not known here fails.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ParkReason } from '../../src/domain/run/park-reasons.ts';
import { sqliteBinding } from '../../src/store/sqlite/binding.ts';
import { binary, type Pawl, pawl } from '../support/pawl.ts';
import { signal, until } from '../support/processes.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Watched, watchedProject } from '../support/watched-project.ts';
import { type After, byHand, editedGoal, effectOf } from './effects.ts';
import { note } from './table.ts';

interface Case {
  readonly reason: ParkReason;
  /** Body of the agent's script until the cause of it is gone. */
  readonly agent: string;
  /** Lines of the definition. */
  readonly file?: (root: string) => string;
  /** What befalls it while its agent is at work; absent: nothing. */
  readonly strike?: (own: Pawl) => Promise<void>;
}

const wrong = 'echo 41 > answer.txt';
const says = (result: string) => `echo '${result}' > "$PAWL_RESULT_FILE"`;

/** Nobody else's, so that it is found by it. */
const longWork = 'sleep 86399';

/** Its processes are killed, and what says whose it was is lost from store and disk. */
async function forgotten(own: Pawl): Promise<void> {
  const atWork = () => own.processes().some(({ command }) => command === longWork);
  expect(await until(atWork, 60_000), 'its agent is at work').toBe(true);
  for (const one of own.processes()) signal(one, 'SIGKILL');
  await until(() => own.processes().length === 0, 20_000);
  rmSync(join(own.home, 'spool'), { recursive: true });
  const store = sqliteBinding().open(join(own.home, 'store.db'));
  store.prepare('delete from leases').run();
  store.close();
}

const cases: readonly Case[] = [
  { reason: 'attempts_exhausted', agent: wrong, file: () => 'brakes: { attempts: 1 }' },
  {
    reason: 'recovery_exhausted',
    agent: 'kill -9 $$',
    file: () => 'recovery: { requeues: 0 }',
  },
  { reason: 'workspace_lost', agent: 'rm -rf "$PWD"' },
  {
    reason: 'tokens',
    agent: `${wrong}\n${says('{"outcome":"done","usage":{"tokensIn":2000}}')}`,
    file: () => 'brakes: { tokens: 1000 }',
  },
  { reason: 'blocked_by_question', agent: says('{"outcome":"question","text":"Which one?"}') },
  { reason: 'protected_changed', agent: 'echo 42 > answer.txt\necho "// more" >> check.mjs' },
  { reason: 'setup_failed', agent: wrong, file: (root) => `setup: test -e ${root}/healed` },
  { reason: 'unknown_outcome', agent: `exec ${longWork}`, strike: forgotten },
  {
    reason: 'drift_detected',
    agent: 'echo 42 > answer.txt\necho "// more" > other.mjs',
    file: () => 'fileScope: [answer.txt]',
  },
  {
    reason: 'cost',
    agent: `${wrong}\n${says('{"outcome":"done","usage":{"costUsd":2}}')}`,
    file: () => 'brakes: { cost: 1 }',
  },
  { reason: 'wall', agent: `${wrong}\nexec ${longWork}`, file: () => 'brakes: { time: 15s }' },
  {
    reason: 'wait_exhausted',
    agent: `${wrong}\n${says(`{"outcome":"limit","until":${Date.now() + 86_400_000}}`)}`,
    file: () => 'brakes: { waitTime: 1s }',
  },
  {
    reason: 'auth_required',
    agent: wrong,
    file: (root) => `secrets: { ANSWER_KEY: "file:${root}/healed" }`,
  },
  { reason: 'convergence_signals', agent: says('{'), file: () => 'brakes: { attempts: 20 }' },
];

/** A human's: what he would have to say, and nothing else. */
const filled = (command: string): string =>
  command.replace('--setup "…"', '--setup "true"').replaceAll('"…"', '"the newer one is right"');

test.each(cases)(
  '$reason: each option of its page, pasted, does what it says (RR-34, RR-47)',
  async (one) => {
    const own = pawl();
    try {
      const stage = set(own, one);
      const printed = await printedBy(stage, await parked(stage, 'first'));
      expect(printed.length).toBeGreaterThan(2);
      const { escalation } = (await own.run(['show', 'first', '--json'])).json();
      expect(escalation).toHaveProperty('options.length', printed.length);
      const names = printed.map((_, n) => `option-${n + 1}`);
      for (const name of names) await started(stage, name);
      const runs: string[] = [];
      for (const name of names) runs.push(await parked(stage, name));
      writeFileSync(join(own.root, 'healed'), 'yes\n');
      for (const [n, short] of runs.entries()) await pasted(stage, { short, n });
    } finally {
      await own.close();
    }
  },
);

interface Stage {
  readonly own: Pawl;
  readonly work: Watched;
  readonly env: Readonly<Record<string, string>>;
  readonly reason: ParkReason;
  readonly strike: Case['strike'];
}

function set(own: Pawl, { agent, file, reason, strike }: Case): Stage {
  const { root } = own;
  const work = watchedProject(root);
  const healed = `if test -e '${root}/healed'; then ${byHand}; exit 0; fi`;
  writeFileSync(join(root, 'agent.sh'), `cat > '${root}/prompt'\n${healed}\n${agent}\n`);
  const lines = [
    'version: 1',
    `agents: { mine: { command: [sh, ${root}/agent.sh] } }`,
    'roles: { execute: { agent: mine } }',
    'check: node check.mjs',
    file?.(root) ?? '',
  ];
  writeFileSync(join(work.directory, 'pawl.yaml'), `${lines.join('\n')}\n`);
  const bin = join(root, 'bin');
  mkdirSync(bin);
  symlinkSync(binary, join(bin, 'pawl'));
  writeFileSync(join(bin, 'codex'), codex, { mode: 0o755 });
  mkdirSync(join(root, 'user/.codex'));
  writeFileSync(join(root, 'user/.codex/auth.json'), '{"OPENAI_API_KEY":"sk-none"}');
  const edits = [`s/^goal:.*/goal: ${editedGoal}/`, 's/^\\( *- \\)answer.txt$/\\1"**"/'];
  const editor = `sed -i ${edits.map((edit) => `-e '${edit}'`).join(' ')}`;
  const env = { ...own.env, PATH: `${bin}:${own.env['PATH']}`, EDITOR: editor };
  return { own, work, env, reason, strike };
}

/** The other agent that a page names, as far as it is needed: it does the work and says so. */
const codex = `#!/usr/bin/env node
const { writeFileSync } = require('node:fs');
if (process.argv.includes('--version')) { console.log('codex-cli 0.171.0'); process.exit(0); }
process.stdin.resume().on('end', () => {
  writeFileSync('answer.txt', '42\\n');
  const usage = { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 };
  const item = { id: 'i1', type: 'agent_message', text: 'done' };
  for (const line of [{ type: 'thread.started', thread_id: '0199a213-81c0-7800-8aa1-bbab2a035a53' },
    { type: 'turn.started' }, { type: 'item.completed', item }, { type: 'turn.completed', usage }])
    console.log(JSON.stringify(line));
});
`;

async function started({ own, work, env, strike }: Stage, name: string): Promise<void> {
  const line = ['run', 'find the answer', '--name', name, '-d'];
  const { exit, stdout, stderr } = await own.run(line, { cwd: work.directory, env });
  expect(exit, stdout + stderr).toBe(0);
  await strike?.(own);
}

/** Its short id, once it needs its operator for that reason and no other. */
async function parked(stage: Stage, name: string): Promise<string> {
  const { own, work, env, reason } = stage;
  if (name === 'first') await started(stage, name);
  const options = { cwd: work.directory, env, timeoutMs: 360_000 };
  const waited = await own.run(['wait', name, '--timeout', '330s', '--json'], options);
  const { runs } = waited.json() as { readonly runs: readonly [{ readonly short: string }] };
  expect(runs).toMatchObject([{ status: 'needs_operator', reason }]);
  return runs[0].short;
}

/** What a terminal shows after `pawl show`, one command for each option. */
async function printedBy({ work, env }: Stage, short: string): Promise<readonly string[]> {
  const terminal = openTerminal(['pawl', 'show', short], {
    ...{ cwd: work.directory, env, columns: 200 },
  });
  try {
    expect(await terminal.left()).toMatchObject({ exit: 0 });
    const [, options = ''] = terminal.text().split(/^ {2}options$/m);
    const [rows = ''] = options.split(/^ {2}more /m);
    return [...rows.matchAll(/^ {2}[ \d]\d .*? {4,}(\S.*)$/gm)].map(([, command = '']) => command);
  } finally {
    terminal.close();
  }
}

/** Its own n-th option: what stands there for another run names that one. */
async function pasted(
  stage: Stage,
  { short, n }: { readonly short: string; readonly n: number },
): Promise<void> {
  const { work, env, reason } = stage;
  const printed = (await printedBy(stage, short))[n] ?? '';
  const command = printed.replaceAll(short, '<run>');
  const { kind, isTrue, before = (line: string) => line } = effectOf(command);
  const from = performance.now();
  const terminal = openTerminal(['/bin/sh'], { cwd: work.directory, env, columns: 200 });
  try {
    terminal.type(`${before(filled(printed))}; exit\n`);
    const { exit } = await terminal.left(240_000);
    const screen = terminal.text();
    expect(exit, `${reason}: ${command}\n${screen}`).toBe(0);
    const after = { ...(await whatBecameOf(stage, short)), screen };
    const told = `${reason}: ${command} ${kind}\n${screen}\n${JSON.stringify(after.shown)}`;
    expect(isTrue(after), told).toBe(true);
    const { n: attempts } = after.shown['attempt'] as { readonly n: number };
    const afterS = (performance.now() - from) / 1_000;
    const row = { shown: `needs_operator: ${reason}`, trueAfterS: null, end: kind, afterS };
    note({ fault: command, ...row, attempts, doubled: 0, lost: 0 });
  } finally {
    terminal.close();
  }
}

/** Once it no longer goes on by itself. */
async function whatBecameOf(
  { own, work, env }: Stage,
  short: string,
): Promise<Omit<After, 'screen'>> {
  const typed = (...line: readonly string[]) =>
    own.run(line, { cwd: work.directory, env, timeoutMs: 240_000 });
  const json = async (run: string) => (await typed('show', run, '--json')).json();
  await typed('wait', short, '--timeout', '200s');
  const shown = await json(short);
  const { stdout } = await typed('show', short, '--events', '--json');
  const events = stdout
    .split('\n')
    .flatMap((text) => (text.startsWith('{"') ? [JSON.parse(text)] : []));
  const retried = shown['retriedAs'];
  const next = retried === null ? null : await json(String(retried));
  return { shown, events, next, git: work.git };
}
