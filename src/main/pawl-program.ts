import { tmpdir } from 'node:os';
import { reportError } from '../cli/main.ts';
import { nodeIo } from '../cli/node-io.ts';
import { commandLine } from './command-line.ts';
import { writeReport } from './report-bug.ts';
import { version } from './version.ts';

/** Runs the command line to its end and leaves the exit code. `entry`: its `import.meta.url`. */
export async function pawl(entry: string): Promise<void> {
  process.exitCode = await commandLine(entry).catch(refused);
}

/**
 * Where nothing could even be composed (a `PAWL_HOME` that is no path), it is said as elsewhere.
 */
function refused(error: unknown): Promise<number> {
  const argv = process.argv.slice(2);
  return reportError(
    {
      argv,
      io: nodeIo(process),
      env: process.env,
      called: 'pawl',
      reportBug: async () => writeReport([tmpdir()], { version, argv, error }),
    },
    error,
  );
}
