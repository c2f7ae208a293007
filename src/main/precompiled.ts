/**
 * A script of ours, with the code that V8 made of it at the build (`tools/build.mjs`): compiling
 * 160 KB of text takes a third of all that `pawl status` takes.
 *
 * V8 itself rejects code of another V8 or of other flags, but of the source it compares the length
 * alone. So the file of the code begins with the source that it was made of, and is used only where
 * that is, byte for byte, the source of now. Nor does V8 look for damage in code that is whole by
 * its length: the build renames it into place. Both files lie beside the program and are never
 * written while pawl runs: code from a folder that an agent can write to would be the agent's.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

type Start = (load: NodeJS.Require, filename: string) => void;

/** Runs `<name>.cjs` of this folder; `load` is the `require` of a file in it. */
export function runPrecompiled(directory: string, name: string, load: NodeJS.Require): void {
  const filename = join(directory, `${name}.cjs`);
  const source = readFileSync(filename);
  const cachedData = codeOf(join(directory, `${name}.${engine()}.code`), source);
  // The build escapes what is not ASCII, so every byte is a character.
  const script = new Script(source.toString('latin1'), { filename, cachedData });
  (script.runInThisContext() as Start)(load, filename);
}

const engine = () => `${process.version}-${process.platform}-${process.arch}`;

function codeOf(file: string, source: Buffer): Buffer | undefined {
  let made: Buffer;
  try {
    made = readFileSync(file);
  } catch (error: unknown) {
    // Built by another Node: it is compiled.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
  const size = source.length;
  return made.subarray(0, size).equals(source) ? made.subarray(size) : undefined;
}
