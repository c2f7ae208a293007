/**
 * The main job on real input, in two parts. Nothing is installed globally; everything lies in one
 * temporary directory, which is removed at the end (`--keep` leaves it).
 *
 *   1. A package that was published to npm, with its dependencies, and whose own linter no longer
 *      passes: its `standard` is asked to fix it, one file per attempt, until `standard` passes in
 *      a clean check tree with the dependencies set up.
 *   2. A coding-agent CLI from npm (Codex), talking to the scripted model server on loopback, makes
 *      a failing test pass. Its first answer is wrong, so that the second attempt is earned.
 *
 *   npm run demo:real            both;   npm run demo:real -- package | codex   one of them
 */
import { codexPart } from './demo-real/codex.mjs';
import { packagePart } from './demo-real/package.mjs';
import { openWorld } from './demo-real/world.mjs';

const parts = { package: packagePart, codex: codexPart };
const wanted = process.argv.slice(2).filter((name) => Object.hasOwn(parts, name));
const world = openWorld({ isKept: process.argv.includes('--keep') });
try {
  for (const name of wanted.length === 0 ? Object.keys(parts) : wanted) await parts[name](world);
} finally {
  await world.close();
}
