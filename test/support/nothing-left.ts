/**
 * Set-up of the lanes that start real agents: everything of a test file lies in a temporary folder
 * of its own, and after each test the processes, ports and folders are those of before it. Its
 * hooks were registered first, so they look when the test's own have cleaned up.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { type LeftBehind, leftBehind } from './left-behind.ts';

const outer = process.env['TMPDIR'];
const root = mkdtempSync(join(tmpdir(), 'pawl-'));
process.env['TMPDIR'] = root;

let before: LeftBehind;
beforeEach(() => {
  before = leftBehind(root);
});

afterEach(() => {
  const after = leftBehind(root);
  const kinds = ['processes', 'ports', 'folders'] as const;
  const lines = kinds.flatMap((kind) =>
    added<string | number>(before[kind], after[kind]).map((one) => `${kind}: ${one}`),
  );
  if (lines.length > 0) throw new Error(`left behind by the test:\n${lines.join('\n')}`);
});

afterAll(() => {
  const left = readdirSync(root);
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  if (outer === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = outer;
  if (left.length > 0) throw new Error(`left behind by the file: ${left.join(', ')}`);
});

/** Each as often as it is new. */
function added<T>(old: readonly T[], now: readonly T[]): readonly T[] {
  const rest = [...old];
  return now.filter((one) => {
    const at = rest.indexOf(one);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
}
