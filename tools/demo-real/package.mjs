/** Part 1: a published package, and its own linter as agent and as check. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectVerified } from './world.mjs';

/**
 * Published in 2018 with `"standard": "*"` in its devDependencies: today's `standard` finds errors
 * in all four of its files. Five runtime dependencies, about 1,000 packages with the others.
 */
const specifier = 'parse-torrent@5.8.3';
const fixSome = fileURLToPath(new URL('fix-some.mjs', import.meta.url));

export async function packagePart(world) {
  world.heading(`1. A real package: ${specifier}`);
  const [{ filename }] = JSON.parse(
    world.command(world.directory, 'npm', 'pack', '--json', specifier),
  );
  world.command(world.directory, 'tar', '-xzf', filename);
  const project = join(world.directory, 'parse-torrent');
  renameSync(join(world.directory, 'package'), project);
  // npm never publishes this file; every repository of a package has one.
  writeFileSync(join(project, '.gitignore'), 'node_modules/\n');
  world.command(project, 'npm', 'install', '--package-lock-only', '--no-audit', '--no-fund');
  world.commitAsBase(project, `${specifier}, as published, with a lock file`);

  const exit = await world.pawl(
    project,
    'run',
    'Make the linter pass',
    ...['--setup', 'npm ci --ignore-scripts --no-audit --no-fund'],
    ...['--check', 'npx standard'],
    ...['--agent-cmd', `node ${fixSome}`],
  );
  await expectVerified(world, project, exit);
  await world.pawl(project, 'diff', '@last', '--stat');
}
