/** Goal: a check whose tool is not installed cannot run, whoever was to start that (UX 1.4). */
import { expect, test } from 'vitest';
import { missingTool } from './missing-tool.ts';

const said = [
  [
    'npx --no-install',
    'npm error npx canceled due to missing packages and no YES option: ["vitest@4.1.2"]',
  ],
  ['npx of npm 9', 'npm ERR! npx canceled due to missing packages: ["vitest@0.34.6"]'],
  ['pnpm exec', 'ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command "vitest" not found'],
  ['yarn 1', 'error Command "vitest" not found.'],
  ['yarn 4', 'Usage Error: Couldn\'t find a script named "vitest".'],
  ['uv run', 'error: Failed to spawn: `pytest`'],
  ['poetry run', 'Command not found: pytest'],
  ['cargo', 'error: no such command: `nextest`'],
  ['a part of rustup', "error: 'cargo-clippy' is not installed for the toolchain 'stable'."],
  ['go tool', 'go: no such tool "stringer"'],
  ['bundle exec', 'bundler: command not found: rspec'],
  ['make', 'make: *** [Makefile:2: test] Error 127'],
] as const;

test.each(said)('%s without its program cannot run', (_launcher, line) => {
  expect(missingTool(`> test\n${line}\n`, null)).toBe(line);
});

test('what a test prints, and what a runner that ran says, is a matter of the work', () => {
  expect(
    missingTool('expected "npx canceled due to missing packages" to be shown', null),
  ).toBeNull();
  expect(missingTool('make: *** [Makefile:2: test] Error 1', null)).toBeNull();
  const counts = { passed: 3, failed: 1, skipped: 0 };
  expect(missingTool('error Command "vitest" not found.', counts)).toBeNull();
});
