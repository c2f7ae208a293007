/**
 * How a worker that shares no disk with the repository gets its source (DESIGN §6): the address
 * that anybody can read, where there is one, and an artifact with the bundle of what it lacks.
 */
import * as z from 'zod';
import { commit, digest, line, word } from './plane-words.ts';

export const sourceRequest = {
  /** What the worker has of it; null: it only asks which source this is. */
  have: z.array(commit).max(64).nullable(),
  /** It could not reach the remote. */
  withoutRemote: z.boolean(),
};

const source = z.strictObject({
  /** Stands for the repository; the mirror of the worker is named by it. */
  key: z.string().regex(/^[0-9a-f]{8,64}$/),
  name: line(400),
  commit,
  remote: z.strictObject({ url: word(4096), ref: word(1024) }).nullable(),
  bundle: digest.nullable(),
  submodules: z.boolean(),
});

/** Null: it cannot be carried, and why, for the page of the run. */
export const sourceAnswer = { source: source.nullable(), why: line(1000).nullable() };
