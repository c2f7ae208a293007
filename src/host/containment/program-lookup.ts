import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/**
 * Where a program lies, looked for as `execvp` would in this PATH; null when it is nowhere or may
 * not be run. Behind a wrapper a missing program would only show as exit 127.
 */
export function findProgram(program: string, cwd: string, path: string): string | null {
  if (program.includes('/')) {
    const place = isAbsolute(program) ? program : resolve(cwd, program);
    return isProgram(place) ? place : null;
  }
  const places = path.split(delimiter).filter((folder) => folder !== '');
  return places.map((folder) => join(folder, program)).find(isProgram) ?? null;
}

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK);
    return statSync(place).isFile();
  } catch {
    // Not there or not ours to run: not a program for us.
    return false;
  }
}
