import type { RunView } from '../../ports/client.ts';
import type { Story } from '../../ports/story.ts';
import type { Definition, Verdict } from '../../ports/words.ts';
import type { ChangedFile } from '../../ports/workspace.ts';

/** What a page of a run that waits for a human is made of. */
export interface Waiting {
  readonly view: RunView;
  readonly definition: Definition;
  readonly story: Story;
  readonly verdicts: readonly Verdict[];
  readonly changed: readonly ChangedFile[] | null;
  readonly now: number;
  readonly called: string;
  readonly columns: number;
}
