import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TurnSetting } from '../../ports/agent.ts';
import { adapterOf } from '../adapters.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-scripted-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const role = { profile: 'fixer', agent: 'scripted', command: null, model: null, args: [] };

test('the same prompt has the same answer, and its turn ends by itself (XP-41)', () => {
  const files = { prompt: join(folder, 'prompt'), result: join(folder, 'result'), history: '' };
  writeFileSync(files.prompt, '# Goal\n\ndo it\n\n# Attempt\n');
  const dispatch = { prompt: '', job: { attempt: 1 } };
  const { argv, env, talk } = adapterOf(role).launch({ files, dispatch } as unknown as TurnSetting);
  const [program = '', ...args] = argv;
  const said = () => execFileSync(program, args, { env: { ...env }, encoding: 'utf8' });
  expect(said()).toBe('dry run: read an instruction of 2 parts, changed nothing\n');
  expect(said()).toBe(said());
  const result = readFileSync(files.result, 'utf8');
  expect(talk.end({ exit: 0, signal: null }, result)).toMatchObject({ outcome: 'turn_ended' });
});

test('a command of that name is the command of its owner', () => {
  expect(adapterOf({ ...role, command: ['mine'] }).name).toBe('command');
});
