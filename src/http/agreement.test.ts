/**
 * What is sent is what the ports say: a key that a type gains and the schema does not would be
 * refused as unknown. The compiler holds the keys to each other; the test holds an example.
 */
import { expect, test } from 'vitest';
import type * as z from 'zod';
import { exampleDefinition, exampleView } from '../../test/support/example-run.ts';
import { definitionSchema } from '../contract/operator/definition-schema.ts';
import { runView, type statuses } from '../contract/operator/words.ts';
import type { RunView } from '../ports/client.ts';
import type { Definition, RunStatus } from '../ports/words.ts';

type Known<T> = { [K in keyof T as string extends K ? never : K]: T[K] };
type Same<A, B> = [keyof A, keyof B] extends [keyof B, keyof A] ? true : never;

const keysOfView: Same<RunView, Known<z.input<typeof runView>>> = true;
const keysOfDefinition: Same<Definition, z.input<typeof definitionSchema>> = true;
const isSent = (definition: Definition): Omit<Definition, 'source'> => definition;
const allStatuses: [RunStatus] extends [(typeof statuses)[number]] ? true : never = true;

test('every key of a run and of a definition is known on the wire', () => {
  expect([keysOfView, keysOfDefinition, allStatuses]).toEqual([true, true, true]);
  expect(definitionSchema.parse(isSent(exampleDefinition()))).toEqual(exampleDefinition());
  expect(runView.parse(exampleView())).toEqual(exampleView());
});
