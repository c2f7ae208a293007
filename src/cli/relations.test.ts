/** Goal: programs learn which run goes on from which (UX 2.4, `retry`). */
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import type { RunId } from '../ports/words.ts';
import { runJson } from './wire.ts';

test('a run names the one it goes on from and the one that took its place, or null', () => {
  const related = {
    resumedFrom: 'q4wdaaaaaaaa' as RunId,
    retriedAs: 'p0neaaaaaaaa' as RunId,
  };
  expect(runJson(exampleView())).toMatchObject({ resumedFrom: null, retriedAs: null });
  expect(runJson(exampleView(related))).toMatchObject(related);
});
