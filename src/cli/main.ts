/**
 * The command line. `runCli` never throws and never exits: it answers with the exit code, after
 * everything that it opened is closed.
 */
import type { CliOptions } from './composition.ts';

export async function runCli(options: CliOptions): Promise<number> {
  options.io.stderr.write('not built yet\n');
  return 70;
}
