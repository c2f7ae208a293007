import { checkLayers } from '../contract/check-layers.ts';
import { ConfigError } from '../kernel/errors.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { readSettings } from './settings.ts';

export const command: Command = {
  name: 'config check',
  summary: 'Read pawl.yaml and your config.yaml, and say everything that is wrong.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [],
  examples: ['pawl config check'],
  run,
};

async function run(context: Context): Promise<number> {
  const { layers, projectFile, userFile } = await readSettings(
    context,
    await context.projectRoot(),
  );
  const { problems, notes } = checkLayers(layers);
  const [first, ...rest] = problems;
  if (first !== undefined) throw new ConfigError([first, ...rest]);
  const files = [projectFile, userFile].filter((file) => file !== null);
  const lines =
    files.length === 0
      ? ['no pawl.yaml and no config.yaml here; the defaults count.']
      : files.map((file) => `✓ ${file}`);
  answer(context, [...lines, ...notes], { schema: 'pawl.config/1', files, problems: [], notes });
  return exits.done;
}
