import { commandKind } from './command-criterion.ts';

export const lintKind = commandKind('lint', false);
