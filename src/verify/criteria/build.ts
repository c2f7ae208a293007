import { commandKind } from './command-criterion.ts';

export const buildKind = commandKind('build', false);
