/** What the prompt of a turn speaks of by name, for whichever agent reads it. */
import type { TurnSetting } from '../ports/agent.ts';

export function turnEnvironment({
  files,
  dispatch,
}: Pick<TurnSetting, 'files' | 'dispatch'>): Readonly<Record<string, string>> {
  return {
    PAWL_PROMPT_FILE: files.prompt,
    PAWL_HISTORY_FILE: files.history,
    PAWL_RESULT_FILE: files.result,
    PAWL_ATTEMPT: String(dispatch.job.attempt),
  };
}
