import { resolve } from 'node:path';
import type { Context } from './command.ts';

/** Where texts come from: files are named as from the folder of `--project`. */
export function inputsOf({ io, directory }: Pick<Context, 'io' | 'directory'>) {
  return {
    file: (path: string): Promise<string | null> => io.readFile(resolve(directory, path)),
    input: (bytesMax: number): Promise<string> => io.readInput(bytesMax),
  };
}
