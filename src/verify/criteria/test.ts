import { commandKind } from './command-criterion.ts';

export const testKind = commandKind('test', true);
