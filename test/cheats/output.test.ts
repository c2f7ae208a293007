/**
 * Goal: what an agent prints costs bounded memory and disk, and tells no secret.
 * Method: real runs; every file below the state folder is searched for planted values, and every
 * command line of the machine while the agent runs.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../support/processes.ts';
import { expectNamed } from './named.ts';
import { cheat } from './rig.ts';

const shellSecret = 'planted-in-the-shell-7f3a9c';
const runSecret = 'planted-in-the-run-5d81e0';
const withSecret = {
  'pawl.yaml': 'version: 1\nsecrets: { DEPLOY_TOKEN: "env:OPERATORS_TOKEN" }\n',
};
const env = { OPERATORS_TOKEN: runSecret, AWS_SECRET_ACCESS_KEY: shellSecret };

test('prints its environment and a secret in pieces: no file of the state holds it, nor argv (L-N1, L-N4, L-N5)', () =>
  cheat(
    {
      agent: `env; env >&2; cat /proc/self/environ
printf '%s' "$DEPLOY_TOKEN" | cut -c1-9 | tr -d '\\n'; sleep 0.2
printf '%s\\n' "$DEPLOY_TOKEN" | cut -c10-
printf '{"outcome":"done","text":"token %s"}' "$DEPLOY_TOKEN" > "$PAWL_RESULT_FILE"
[ -n "$DEPLOY_TOKEN" ] && echo 42 > answer.txt
echo ready > $ROOT/ready
n=0; while [ ! -e $ROOT/go ] && [ $n -lt 3000 ]; do sleep 0.02; n=$((n + 1)); done
echo "last words: $DEPLOY_TOKEN"`,
      files: withSecret,
    },
    async ({ program, type, args, look, read, main }) => {
      const started = program.start(args, { cwd: main, env });
      expect(await until(() => read('ready') !== '', 60_000)).toBe(true);
      const lines = commandLines();
      writeFileSync(join(program.root, 'go'), '');
      const outcome = await look(await started.finished);
      expectNamed('prints its environment and its secret', outcome, {
        end: 'complete',
        words: [/verified on attempt 1/],
      });
      expect(
        lines.filter((line) => line.includes(runSecret) || line.includes(shellSecret)),
      ).toEqual([]);
      const logs = await type(['logs', '@last', '--raw'], {});
      const told = `${outcome.words}${logs.stdout}`;
      expect(holding(program.home, [runSecret, shellSecret])).toEqual([]);
      expect(told).not.toContain(runSecret);
      expect(told).not.toContain(shellSecret);
    },
  ));

test('prints 200 MB, on both streams (L-I1, L-I4, L-I5)', () =>
  cheat(
    {
      agent: `yes 'all tests pass, all tests pass, all tests pass' | head -c 100000000
yes 'warning' | head -c 100000000 >&2
echo 41 > answer.txt; echo; echo the end`,
    },
    async ({ run, program }) => {
      expectNamed('prints 200 MB', await run(), {
        end: 'needs_operator (attempts_exhausted)',
        words: [/sh check\.sh exit \d+ ·\s+1\s+failed/, /last line: "the end"/],
      });
      expect(bytesBelow(program.home)).toBeLessThan(120_000_000);
    },
  ));

test('prints one line of 5 MB, and a result within it (L-I2)', () =>
  cheat(
    {
      agent: `printf '{"outcome":"done","pass":true,"x":"'
head -c 5000000 /dev/zero | tr '\\0' x
printf '"}'
echo 41 > answer.txt`,
    },
    async ({ run }) => {
      expectNamed('prints one line of 5 MB', await run(), {
        end: 'needs_operator (attempts_exhausted)',
        words: [/sh check\.sh exit \d+ ·\s+1\s+failed/],
      });
    },
  ));

test('makes its check print 200 MB: the check is bounded and still judged (L-I1, L-I5)', () =>
  cheat(
    {
      agent: 'echo 41 > answer.txt',
      files: {
        'check.sh': `yes '1 passed' | head -c 200000000
[ "$(cat answer.txt)" = 42 ]
`,
      },
    },
    async ({ run, program }) => {
      expectNamed('its check prints 200 MB', await run(), {
        end: 'needs_operator (attempts_exhausted)',
        words: [/sh check\.sh exit \d+/],
      });
      expect(bytesBelow(program.home)).toBeLessThan(120_000_000);
    },
  ));

test('writes control sequences, which no terminal gets to see (L-M1)', () =>
  cheat(
    {
      agent: `printf '\\033[2J\\033[?1049h\\033]0;all tests pass\\007complete and verified\\n'`,
    },
    async ({ run }) => {
      const outcome = await run();
      expect(outcome.words).not.toContain('\u001b');
      expectNamed('writes control sequences', outcome, {
        end: 'needs_operator (attempts_exhausted)',
        words: [/the agent changed nothing/],
      });
    },
  ));

function commandLines(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => textOf(`/proc/${pid}/cmdline`));
}

/**
 * Every file below, its raw bytes; a value that was compressed would not be found, only git does.
 */
function holding(directory: string, values: readonly string[]): readonly string[] {
  return filesBelow(directory).filter((path) => {
    const bytes = textOf(path);
    return values.some((value) => bytes.includes(value));
  });
}

const bytesBelow = (directory: string): number =>
  filesBelow(directory).reduce((sum, path) => sum + statSync(path).size, 0);

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Empty for what is gone when it is looked at. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return '';
    throw error;
  }
}
