import { join } from 'node:path';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { projectFileOf } from './settings.ts';
import { table } from './views/page.ts';

export const command: Command = {
  name: 'config path',
  summary: 'Which files of settings are read here, and where the state lies.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [],
  examples: ['pawl config path'],
  run,
};

async function run(context: Context): Promise<number> {
  const { options } = context;
  const root = await context.projectRoot();
  const projectFile = await projectFileOf(context, root);
  const { userConfigPath } = options;
  const userFile = (await context.io.readFile(userConfigPath)) === null ? null : userConfigPath;
  const rows = [
    { file: 'project', path: projectFile ?? join(root, 'pawl.yaml'), isRead: projectFile !== null },
    { file: 'user', path: userConfigPath, isRead: userFile !== null },
  ];
  const lines = rows.map(({ file, path, isRead }) => [file, path, isRead ? '' : 'not there']);
  answer(context, table([...lines, ['state', options.home, '']], 1_000, ''), {
    schema: 'pawl.config-path/1',
    project: projectFile,
    user: userFile,
    userConfigPath,
    home: options.home,
  });
  return exits.done;
}
