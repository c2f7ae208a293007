import { commandLine } from '../../../src/main/command-line.ts';
import { killAt } from './kill-at.ts';

process.exitCode = await commandLine(import.meta.url, killAt('pawl'));
