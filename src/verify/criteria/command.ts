import { commandKind } from './command-criterion.ts';

export const anyCommandKind = commandKind('command', true);
