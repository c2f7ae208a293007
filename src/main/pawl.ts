/** The `pawl` binary. */
import { commandLine } from './command-line.ts';

process.exitCode = await commandLine(import.meta.url);
