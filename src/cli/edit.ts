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
 * @throws RequestError without a terminal or when the editor fails; ConfigError for what was
 * written.
 */
export async function editLayer(context: Context, layer: Layer): Promise<Layer> {
  const { io, options } = context;
  if (!io.stdinIsTerminal || !io.stdout.isTerminal || context.given.has('no-input')) {
    throw new RequestError('usage', '--edit needs a terminal', {
      next: 'override by flags instead: pawl retry --help',
    });
  }
  const folder = await mkdtemp(join(options.demo.temporary, 'pawl-edit-'));
  const file = join(folder, 'pawl.yaml');
  try {
    await writeFile(file, stringify(layer.value), { mode: 0o600 });
    await openEditor(options.env, file);
    const reading = readLayer('pawl.yaml', await readFile(file, 'utf8'), 'project');
    if (!reading.ok) throw new ConfigError(reading.problems);
    return { ...reading.layer, origin: 'edited' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

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
