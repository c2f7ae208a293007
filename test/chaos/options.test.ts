/**
 * Goal: a run that nothing heals is parked within its grace, and each command that its page prints
 * does what it says when it is pasted (RR-34, RR-47).
 * Method: as many runs as the page has options, parked in the same way; each command is taken from
 * the page as a terminal shows it, filled only where it has a placeholder, and pasted into a shell
 * on a terminal of its own. A command of a kind that is not known here fails.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary, type Pawl, pawl } from '../support/pawl.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Watched, watchedProject } from '../support/watched-project.ts';
import { type After, byHand, editedGoal, effectOf } from './effects.ts';
import { type Case, cases } from './option-cases.ts';
import { note } from './table.ts';

/** A human's: what he would have to say, and nothing else. */
const filled = (command: string): string =>
  command.replace('--setup "…"', '--setup "true"').replaceAll('"…"', '"the newer one is right"');

test.each(cases)(
  '$reason: each option of its page, pasted, does what it says (RR-34, RR-47)',
  async (one) => {
    const own = pawl();
    const undo = one.before?.(own);
    try {
      const stage = set(own, one);
      const [first = ''] = await parked(stage, ['first']);
      const printed = await printedBy(stage, first);
      expect(printed.length).toBeGreaterThan(2);
      const { escalation } = (await own.run(['show', 'first', '--json'])).json();
      expect(escalation).toHaveProperty('options.length', printed.length);
      one.again?.(own);
      const runs = await parked(
        stage,
        printed.map((_, n) => `option-${n + 1}`),
      );
      writeFileSync(join(own.root, 'healed'), 'yes\n');
      one.heal?.(own);
      for (const [n, short] of runs.entries()) await pasted(stage, { short, n });
    } finally {
      undo?.();
      await own.close();
    }
  },
);

interface Stage {
  readonly own: Pawl;
  readonly work: Watched;
  readonly env: Readonly<Record<string, string>>;
  readonly one: Case;
}

function set(own: Pawl, one: Case): Stage {
  const { agent = '', file, programs } = one;
  const { root } = own;
  const work = watchedProject(root);
  const healed = `if test -e '${root}/healed'; then ${byHand}; exit 0; fi`;
  writeFileSync(join(root, 'agent.sh'), `cat > '${root}/prompt'\n${healed}\n${agent}\n`);
  const lines = {
    version: '1',
    agents: `{ mine: { command: [sh, ${root}/agent.sh] } }`,
    roles: '{ execute: { agent: mine } }',
    check: 'node check.mjs',
    ...file?.(root),
  };
  const text = Object.entries(lines).map(([key, value]) =>
    value === null ? '' : `${key}: ${value}\n`,
  );
  writeFileSync(join(work.directory, 'pawl.yaml'), text.join(''));
  const bin = join(root, 'bin');
  mkdirSync(bin);
  symlinkSync(binary, join(bin, 'pawl'));
  for (const [name, text] of Object.entries({ codex, ...programs?.(root) })) {
    writeFileSync(join(bin, name), text, { mode: 0o755 });
  }
  mkdirSync(join(root, 'user/.codex'));
  writeFileSync(join(root, 'user/.codex/auth.json'), '{"OPENAI_API_KEY":"sk-none"}');
  const edits = [`s/^goal:.*/goal: ${editedGoal}/`, 's/^\\( *- \\)answer.txt$/\\1"**"/'];
  const editor = `sed -i ${edits.map((edit) => `-e '${edit}'`).join(' ')}`;
  const env = { ...own.env, PATH: `${bin}:${own.env['PATH']}`, EDITOR: editor };
  return { own, work, env, one };
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

/** Their short ids, once each needs its operator for that reason and no other. */
async function parked(stage: Stage, names: readonly string[]): Promise<readonly string[]> {
  const { own, work, env, one } = stage;
  for (const name of names) {
    const line = ['run', 'find the answer', '--name', name, '-d'];
    const { exit, stdout, stderr } = await own.run(line, { cwd: work.directory, env });
    expect(exit, stdout + stderr).toBe(0);
  }
  await one.strike?.(own, names.length);
  const shorts: string[] = [];
  for (const name of names) shorts.push(await parkedOne(stage, name));
  return shorts;
}

async function parkedOne(stage: Stage, name: string): Promise<string> {
  const { own, work, env, one } = stage;
  const { reason } = one;
  const options = { cwd: work.directory, env, timeoutMs: 360_000 };
  const end = performance.now() + 330_000;
  for (;;) {
    const waited = await own.run(['wait', name, '--timeout', '330s', '--json'], options);
    const { runs } = waited.json() as { readonly runs: readonly [Waited] };
    // What waits for a human waits no longer than its definition says.
    if (runs[0].status === 'waiting_human' && performance.now() < end) continue;
    expect(runs).toMatchObject([{ status: 'needs_operator', reason }]);
    return runs[0].short;
  }
}

interface Waited {
  readonly short: string;
  readonly status: string;
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
  const { work, env, one } = stage;
  const { reason } = one;
  const printed = (await printedBy(stage, short))[n] ?? '';
  const command = printed.replaceAll(short, '<run>');
  const { kind, isTrue, before = (line: string) => line } = effectOf(command);
  const from = performance.now();
  const terminal = openTerminal(['/bin/sh'], { cwd: work.directory, env, columns: 200 });
  try {
    terminal.type(`${before(filled(printed))}; exit\n`);
    if (one.isLookedAt === true && command.startsWith('pawl retry ')) {
      await terminal.seen(/\[y\] it is good/);
      terminal.type('y');
    }
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
  if ((await json(short))['status'] === 'waiting_human') {
    await own.onTerminal(['approve', short, '--yes'], { cwd: work.directory, env });
    await typed('wait', short, '--timeout', '200s');
  }
  const shown = await json(short);
  const { stdout } = await typed('show', short, '--events', '--json');
  const events = stdout
    .split('\n')
    .flatMap((text) => (text.startsWith('{"') ? [JSON.parse(text)] : []));
  const retried = shown['retriedAs'];
  if (retried === null) return { shown, events, next: null, git: work.git };
  const next = String(retried);
  const line = ['show', next, '--definition', '--json'];
  return {
    shown,
    events,
    next: { ...(await typed(...line)).json(), ...(await json(next)) },
    git: work.git,
  };
}
