/**
 * The `pawl` command. `pawl status` is typed most and must answer at once: it has a script of its
 * own, made of the same sources, which loads nothing that the page does not need, and which tells
 * what `pawl` is as well; the rest is in `pawl.js`. This file is CommonJS, since a module alone
 * would wait for Node's module loader.
 */
import { writeSync } from 'node:fs';
import { runPrecompiled } from './precompiled.ts';
import { version } from './version.ts';

const [first, ...more] = process.argv.slice(2);
const isAlone = more.length === 0;

if (!(isAlone && first === '--version' && isSaid(`${version}\n`))) {
  if (isAtOnce()) runPrecompiled(__dirname, 'status', require);
  else void import('./pawl.ts');
}

function isAtOnce(): boolean {
  // A server or a database is asked by a part that this script does not hold.
  const elsewhere = [process.env['PAWL_SERVER'], process.env['PAWL_DATABASE']];
  const isElsewhere = elsewhere.some((place) => place !== undefined && place !== '');
  if (isElsewhere || more.some((word) => word.startsWith('--server'))) return false;
  if (first === undefined || first === 'status') return true;
  return isAlone && (first === '--help' || first === '-h' || first === '--version');
}

/** A pipe takes so few bytes whole or not at all; then the command line knows what to do. */
function isSaid(text: string): boolean {
  try {
    writeSync(1, text);
    return true;
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
