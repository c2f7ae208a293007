/** `retry --edit`: a definition in the user's editor, read back through the same schema. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type Layer, readLayer } from '../contract/layer.ts';
import { splitArgv } from '../kernel/argv.ts';
import { ConfigError, RequestError } from '../kernel/errors.ts';
import type { Context } from './command.ts';

/**
 * What was left unchanged starts nothing. What cannot be read is kept, with the line that is wrong.
 * @throws RequestError without a terminal, unchanged, or when the editor fails; ConfigError for
 * what was written.
 */
export async function editLayer(context: Context, layer: Layer): Promise<Layer> {
  const { io, options, given } = context;
  if (!io.stdinIsTerminal || !io.stdout.isTerminal || given.has('no-input')) {
    throw new RequestError('usage', '--edit needs a terminal', {
      next: 'override by flags instead: pawl retry --help',
    });
  }
  const folder = await mkdtemp(join(options.demo.temporary, 'pawl-edit-'));
  const file = join(folder, 'pawl.yaml');
  const before = stringify(layer.value);
  let isKept = false;
  try {
    await writeFile(file, before, { mode: 0o600 });
    await openEditor(options.env, file);
    const text = await readFile(file, 'utf8');
    if (text === before) throw unchanged(context);
    const reading = readLayer(file, text, 'project');
    if (reading.ok) return { ...reading.layer, origin: 'edited' };
    isKept = true;
    context.note([`nothing was started; what you wrote is kept: ${file}`]);
    throw new ConfigError(reading.problems);
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}

const unchanged = ({ called, given }: Context): RequestError =>
  new RequestError('usage', 'nothing was changed, so nothing was started', {
    next: `${called} retry ${given.words[0] ?? ''}   starts it again as it was`,
  });

/** False: no editor is named, and none was started. @throws RequestError. */
export async function openIn(
  env: Readonly<Record<string, string | undefined>>,
  path: string,
): Promise<boolean> {
  if (editorOf(env) === null) return false;
  await openEditor(env, path);
  return true;
}

const editorOf = (env: Readonly<Record<string, string | undefined>>): string | null =>
  [env['VISUAL'], env['EDITOR']].find((value) => value !== undefined && value !== '') ?? null;

async function openEditor(
  env: Readonly<Record<string, string | undefined>>,
  file: string,
): Promise<void> {
  const named = editorOf(env) ?? 'vi';
  const split = splitArgv(named);
  const [program, ...args] = split.ok ? split.value : ['vi'];
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(program ?? 'vi', [...args, file], { stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', resolve);
  }).catch((error: unknown) => {
    throw new RequestError(
      'usage',
      `the editor "${named}" cannot be started`,
      { next: 'export EDITOR=…' },
      error,
    );
  });
  if (code !== 0)
    throw new RequestError(
      'usage',
      `the editor ended with ${code ?? 'a signal'}; nothing was started`,
    );
}
