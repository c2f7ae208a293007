/**
 * Writes a script of ours with the code that V8 makes of it while it runs, for
 * `src/main/precompiled.ts`; started by `build.mjs`.
 *
 *   node tools/precompile.mjs status <script> <file to write>
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';

// What is left is the command line of the script.
const [filename, target] = process.argv.splice(3);
const source = readFileSync(filename);
const script = new Script(source.toString('latin1'), { filename });
process.on('exit', (code) => {
  if (code === 0) writeFileSync(target, Buffer.concat([source, script.createCachedData()]));
});
script.runInThisContext()(createRequire(filename), filename);
