/** What a fact is made of and what it is told from. */
import type { RunView } from '../../ports/client.ts';
import type { Story } from '../../ports/story.ts';
import type { CriterionResult, Definition } from '../../ports/words.ts';
import type { ChangedFile } from '../../ports/workspace.ts';

export interface Fact {
  /** At most 9 characters: the third word of a line in a pipe. */
  readonly kind: string;
  readonly fields: readonly (readonly [name: string, value: string | number | null])[];
  /** Null: not worth a line on a terminal. */
  readonly line: FactLine | null;
}
export interface FactLine {
  readonly sign: string;
  readonly label: string;
  readonly text: string;
  readonly right: readonly string[];
  readonly below: readonly string[];
}
export interface Scene {
  readonly view: RunView;
  readonly definition: Definition;
  /** After the event. */
  readonly story: Story;
  readonly at: (instant: number) => string;
  /** Null or absent: the event alone. */
  readonly detail?: FactDetail | null;
}

/** What a fact tells beyond its event, read from artifacts and git where somebody looks at it. */
export interface FactDetail {
  readonly results: readonly ResultFacts[];
  /** Against what the attempt began with; null where nobody can tell. */
  readonly changed: readonly ChangedFile[] | null;
}
export type ResultFacts = Pick<
  CriterionResult,
  'what' | 'outcome' | 'exit' | 'counts' | 'reasons' | 'durationMs'
>;
