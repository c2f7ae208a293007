import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { PermissionAsk } from '../domain/approval/permission.ts';
import type { ExecutionId, GrantId } from '../domain/ids.ts';
import type { OpenExecution } from '../ports/store.ts';
import { lookAt } from './adoption.ts';
import { cutBeatOf, cutOff } from './cut-off.ts';
import { selfHolder } from './identity.ts';

const root = mkdtempSync(join(tmpdir(), 'pawl-cut-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const self = selfHolder('here');
const cut = { grantId: 'g' as GrantId, beat: 7, signals: '{}', usage: null };
const open = (grantId = 'g', beat = 3) =>
  ({ id: 'a.1', role: 'execute', lease: { grantId, holder: self }, beat }) as OpenExecution;

function spoolWith(name: string, value: unknown): string {
  const spool = join(root, name);
  mkdirSync(spool);
  writeFileSync(join(spool, 'cut.json'), JSON.stringify(value));
  return spool;
}

test('its beats are left in the spool, and what it asks leave for is denied from then on', async () => {
  const [written, asked, failures]: unknown[][] = [[], [], []];
  let unanswered = 0;
  const off = cutOff({
    spool: {
      write: (name, value) => {
        written?.push([name, value]);
        if (written?.length === 2) throw new Error('no space');
      },
    },
    ask: async (message) => {
      asked?.push(message);
      return { ok: true };
    },
    unanswered: () => {
      unanswered += 1;
    },
    onFailure: (error) => failures?.push(error),
  });
  const grant = { execution: 'a.1' as ExecutionId, grantId: cut.grantId };
  const question = { ...grant, ask: {} as PermissionAsk };
  expect(await off.ask(question)).toEqual({ ok: true });
  off.beat({ ...cut, ...grant });
  off.beat({ ...cut, beat: 8 });
  expect(await off.ask(question)).toEqual({ ok: false, reason: 'store_newer' });
  expect([asked?.length, unanswered, failures?.length]).toEqual([1, 2, 1]);
  expect(written).toEqual([
    ['cut', cut],
    ['cut', { ...cut, beat: 8 }],
  ]);
});

test('what was left under another lease, or is damaged, says nothing', () => {
  const spool = spoolWith('one', cut);
  expect(cutBeatOf(open(), spool)).toEqual(cut);
  expect(cutBeatOf(open('later'), spool)).toBeNull();
  expect(cutBeatOf({ lease: null }, spool)).toBeNull();
  expect(cutBeatOf(open(), join(root, 'none'))).toBeNull();
  expect(cutBeatOf(open(), spoolWith('odd', { ...cut, beat: '7' }))).toBeNull();
});

test('a living host is seen by the beats that it leaves; one that leaves none is silent', () => {
  const spool = spoolWith('two', cut);
  const beats: number[] = [];
  let forMs = 0;
  const look = (beat?: number) =>
    lookAt(open('g', beat), {
      spool,
      worker: 'here',
      lives: () => true,
      stillForMs: (seen) => {
        beats.push(seen.beat);
        return forMs;
      },
    });
  expect(look()).toEqual({ state: 'alive', cut });
  expect(look(9)).toEqual({ state: 'alive', cut });
  forMs = 5;
  expect(look()).toEqual({ state: 'silent', forMs: 5, cut });
  expect(beats).toEqual([7, 9, 7]);
});
