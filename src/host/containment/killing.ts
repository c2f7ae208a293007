/** A process that went away in the meantime is what was wanted; one that is not ours stays. */
export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error: unknown) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** Signals the process group of a leader that we started; never our own. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  if (leader > 1) kill(-leader, signal);
}
