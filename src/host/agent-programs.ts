/** What an adapter may ask of the machine before its program starts. */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
} from 'node:fs';
import type { AgentPrograms } from '../ports/agent.ts';
import { ownUid } from './containment/probe.ts';
import { findProgram } from './containment/program-lookup.ts';

/** `path`: the lane's own PATH. */
export function agentPrograms(cwd: string, path: string): AgentPrograms {
  return {
    find(name) {
      const place = findProgram(name, cwd, path);
      return place === null ? null : realpathSync(place);
    },
    has: existsSync,
    list: (folder) => (existsSync(folder) ? readdirSync(folder) : []),
    tail: (file, bytesMax) => (existsSync(file) ? endOf(file, bytesMax) : null),
    isRoot: ownUid() === 0,
  };
}

/** Never waits: what is no plain file, as a pipe that nobody writes, has no lines (L-D20). */
function endOf(file: string, bytesMax: number): string | null {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) return null;
    const { size } = found;
    const from = Math.max(0, size - bytesMax);
    const bytes = Buffer.alloc(Math.min(size, bytesMax));
    const text = bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, from)).toString();
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    closeSync(handle);
  }
}
