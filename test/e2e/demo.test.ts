/** What a newcomer types first: the whole program, from the command line to the receipt. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { installAgent } from '../support/installed-agent.ts';
import { type Pawl, pawl } from '../support/pawl.ts';

let own: Pawl | null = null;
afterEach(async () => {
  await own?.close();
  own = null;
});

/** The final block, without what differs from one demonstration to the next: ids, times, counts. */
function shapeOf(text: string): readonly string[] {
  return shared(
    text.slice(text.indexOf('✓ complete   repair-median ')).split(/\n(?:```|\n)/, 1)[0],
  );
}

/** The page of the run that needs a human, likewise. */
function parkedShapeOf(text: string): readonly string[] {
  const page = text
    .slice(text.indexOf('! needs operator   repair-durations '))
    .split('\n```', 1)[0];
  return shared(page?.replace(/since [\d:]+/, 'since'));
}

function shared(block = ''): readonly string[] {
  const short = / {3}repair-\w+ (\w+)/.exec(block)?.[1] ?? 'none';
  return block
    .trimEnd()
    .replaceAll(new RegExp(`\\b${short}\\w*`, 'g'), '<id>')
    .replaceAll('npx pawl', 'pawl')
    .replaceAll(/\b[0-9a-f]{7}\b/g, '<commit>')
    .replaceAll(/\d+(?:\.\d+)?m?\d*s\b/g, '<time>')
    .replaceAll(/\battempt \d+/g, 'attempt <n>')
    .replaceAll(/\d+ commits?/g, '<n> commits')
    .split('\n')
    .map((line) => line.replaceAll(/ {3,}/g, '   ').trimEnd());
}

function fresh(): Pawl {
  own = pawl();
  return own;
}

test('the demonstration ends verified, though the agent claims success each time (L-A1, L-A27)', async () => {
  const program = fresh();
  const demo = await program.run(['demo']);
  expect(demo.exit).toBe(0);
  expect(demo.stdout).toMatch(/attempt +n=1 verdict=failed/);
  expect(demo.stdout).toMatch(/✓ complete +repair-median .*verified on attempt [2-6]/);
  expect(demo.stdout).toMatch(/receipt +node --test · exit 0 · 12 passed, 0 failed/);

  expect(shapeOf(demo.stdout)).toEqual(shapeOf(readFileSync('README.md', 'utf8')));

  const status = await program.run(['status']);
  expect(status.stdout).toContain('0 runs open');
  expect(status.exit).toBe(0);
}, 240_000);

test('a bug that the agent cannot mend ends on the page that says what to type', async () => {
  const program = fresh();
  const bin = join(program.root, 'bin');
  installAgent(program, bin);
  const env = { PATH: `${bin}:${program.env['PATH']}` };
  const demo = await program.run(['demo', '--stuck'], { env });
  expect(demo.exit).toBe(3);
  expect(demo.stdout).toMatch(/! needs operator/);
  expect(demo.stdout).toMatch(/stopped +escalated: attempts spent/);
  expect(demo.stdout).toMatch(/pawl resume \w{4,} --attempts \+\d/);
  expect(demo.stdout).toMatch(/last line: "done, all tests pass"/);
  expect(parkedShapeOf(demo.stdout)).toEqual(parkedShapeOf(readFileSync('README.md', 'utf8')));
}, 240_000);

test('killed with -9 in the middle, the demonstration carries on by itself and ends verified', async () => {
  const demo = await fresh().run(['demo', '--crash']);
  expect(demo.exit).toBe(0);
  expect(demo.stdout).toMatch(/verified on attempt [2-6]/);
}, 240_000);
