/** What the tokens of an argv template stand for in one turn (SL-75, SL-76). */
import type { TurnSetting } from '../../ports/agent.ts';
import { fillTemplate, type TemplateValues } from './template.ts';

export function templateValues(
  { dispatch, files, tree }: TurnSetting,
  model: string | null,
): TemplateValues {
  return {
    prompt: files.prompt,
    promptContent: dispatch.prompt,
    cwd: tree,
    model,
    output: `${files.directory}/output.md`,
    artifact: `${files.directory}/artifact.md`,
    verdict: `${files.directory}/verdict.json`,
    currentTask: dispatch.runName,
    currentPhase: dispatch.job.role,
  };
}

/**
 * What the definition adds to the words of a known agent.
 * @throws RequestError `argument_too_long`.
 */
export function filledArgs(setting: TurnSetting): readonly string[] {
  const { role } = setting;
  return fillTemplate(role.args, templateValues(setting, role.model));
}
