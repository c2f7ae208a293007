/**
 * Goal: a real agent whose tool never comes back is nudged, and goes on in the same conversation
 * and the same execution (RR-25, ADR 19). Method: the built program; agents that are spoken with
 * over a protocol, where they are installed, before a scripted model.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nudgePrompt } from '../../src/host/turn-driver.ts';
import type { ModelRequest, Turn } from '../../src/testing/model-server/script.ts';
import { pawl } from '../support/pawl.ts';
import { until } from '../support/processes.ts';
import { watchedProject } from '../support/watched-project.ts';
import { agentFolder, clis, fileOf } from './installed.ts';
import { modelWorld } from './model.ts';
import { note } from './table.ts';

const spoken = clis.filter(([name]) => name === 'opencode' || name === 'gemini');
const [nudge = ''] = nudgePrompt.split('.');

/** Whoever asks again after the nudge has the work done. */
function turnFor({ tools, toolText, userText }: ModelRequest): Turn {
  // Programs ask other things as well, a title for instance.
  if (tools.length === 0) return { text: 'A title' };
  if (!userText.includes(nudge)) return { tool: { shell: 'sleep 3600' } };
  return toolText === null ? { tool: { write: 'answer.txt', content: '42\n' } } : { text: 'done' };
}

test.each(spoken)('%s is nudged, and goes on in the same execution (RR-25)', async (...cli) => {
  const [name, vendor, model] = cli;
  const row = { condition: 'nudged', lane: name, ruleS: null, wrong: [] };
  const bin = join(agentFolder(name), 'node_modules/.bin');
  if (!existsSync(bin)) {
    const shown = 'not installed: npm run test:agents';
    note({ ...row, how: 'skipped', shown, rightAfterS: null });
    return;
  }
  const world = await modelWorld(turnFor);
  const own = pawl();
  try {
    const { directory, git } = watchedProject(own.root);
    const spans = 'liveness: { toolProgress: 30s }\nrecovery: { silence: 90s }\n';
    writeFileSync(join(directory, 'pawl.yaml'), fileOf(name, model, vendor, world) + spans);
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const typed = (...line: readonly string[]) =>
      own.run(line, { cwd: directory, env, timeoutMs: 300_000 });
    const line = ['run', 'find the answer', '--name', 'one', '--check', 'node check.mjs', '-d'];
    const started = await typed(...line);
    expect(started.exit, started.stdout + started.stderr).toBe(0);
    const from = performance.now();
    await typed('wait', 'one', '--timeout', '270s');
    const rightAfterS = (performance.now() - from) / 1_000;
    const shown = (await typed('show', 'one', '--json')).json();
    expect(shown).toMatchObject({ status: 'complete', attempt: { n: 1 } });
    expect(git('show', `${shown['branch']}:answer.txt`)).toBe('42');
    const { stdout } = await typed('show', 'one', '--events', '--json');
    const types = stdout
      .split('\n')
      .flatMap((text) => (text.startsWith('{"') ? [JSON.parse(text).type] : []));
    expect(types.filter((type) => type === 'execution.nudged')).toHaveLength(1);
    expect(types).not.toContain('recovery.recorded');
    note({ ...row, how: 'real', shown: 'went on', rightAfterS });
  } finally {
    await own.run(['cancel', 'one', '--now', '--yes']);
    await until(() => !own.processes().some(({ command }) => /lane-host/.test(command)), 60_000);
    await world.close();
    await own.close();
  }
});
