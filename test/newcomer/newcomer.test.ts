/**
 * Goal: a stranger's first five minutes in ten kinds of repository: `init -y` and `run` end
 * verified or with the message that says what to do, and the checkout is left as it was.
 * Method: the built program, real git and real tools where the machine has them; the agent writes
 * the right answer and claims success.
 */
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Finished, type Pawl, pawl } from '../support/pawl.ts';
import { runGit } from '../support/repositories.ts';
import { newcomers, type Placed, settle } from './repositories.ts';
import { note } from './table.ts';

const opened: Pawl[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** Finds `answer.txt` below the tree: a project may lie in a folder of it. */
const agent = `
import { readdirSync, writeFileSync } from 'node:fs';
const answer = readdirSync('.', { recursive: true }).find((path) => path.endsWith('answer.txt'));
writeFileSync(answer, '42\\n');
console.log('done, all tests pass');
`;

interface Expected {
  readonly setup: string | null;
  readonly checks: readonly string[];
  readonly cwd?: string;
  readonly init: { readonly exit: number; readonly says: RegExp; readonly word?: string };
  readonly run: { readonly exit: number; readonly says: RegExp; readonly word: string } | null;
  /** What a stub, where there is one, must have been called with. */
  readonly calls?: readonly string[];
}
const wrote = {
  exit: 0,
  says: /^Wrote pawl\.yaml \(\d+ lines\) and \.pawl\/\.gitignore\. {2}Nothing was committed\.$/m,
};
const verified = { exit: 0, says: /^✓ complete .*verified on attempt 1/m, word: 'verified' };

const expected: Readonly<Record<string, Expected>> = {
  'npm, vitest in watch mode': {
    setup: 'npm ci',
    checks: ['npx vitest run --globals'],
    init: wrote,
    run: verified,
  },
  'pnpm workspace, typed in a package': {
    setup: 'pnpm install --frozen-lockfile',
    checks: ['pnpm test'],
    cwd: 'packages/a',
    init: wrote,
    run: verified,
    calls: ['pnpm install --frozen-lockfile', 'pnpm test'],
  },
  'yarn by packageManager': {
    setup: 'yarn install --immutable',
    checks: ['yarn test'],
    init: wrote,
    run: verified,
    calls: ['yarn install --immutable', 'yarn test'],
  },
  'Python without dependencies': {
    setup: null,
    checks: ['pytest -q'],
    init: wrote,
    run: verified,
    calls: ['pytest -q'],
  },
  'Rust without dependencies': {
    setup: 'cargo fetch --locked',
    checks: ['cargo build', 'cargo test --workspace'],
    init: wrote,
    run: verified,
    calls: ['cargo fetch --locked', 'cargo build', 'cargo test --workspace'],
  },
  'Go without dependencies': {
    setup: 'go mod download',
    checks: ['go vet ./...', 'go test ./...'],
    init: wrote,
    run: verified,
    calls: ['go mod download', 'go vet ./...', 'go test ./...'],
  },
  'Makefile only, with an ignored .env.test': {
    setup: null,
    checks: ['make check'],
    init: wrote,
    run: verified,
  },
  'no check': {
    setup: null,
    checks: [],
    init: wrote,
    run: { exit: 4, says: /^\? waiting for you/m, word: 'waiting human: manual' },
  },
  dirty: {
    setup: null,
    checks: ['npm test'],
    init: wrote,
    run: {
      exit: 2,
      says: /^error\[dirty_tree\]: 2 changed files are not in the base commit main@[0-9a-f]{7}\n {2}found {8}answer\.txt, notes\.txt {2}\(git status\)\n {2}next {9}commit or stash them, or {2}--include-changes {3}or {2}--base HEAD \(work without them\)$/m,
      word: 'dirty_tree, word for word',
    },
  },
  'no commit': {
    setup: null,
    checks: ['npm test'],
    init: {
      exit: 2,
      says: /^error\[no_commit\]: .* has no commit yet\n {2}so {11}there would be nothing to cut a branch from, and nothing to go back to\n {2}next {9}git add -A && git commit -m start {3}or {2}git commit --allow-empty -m start$/m,
      word: 'no_commit, word for word',
    },
    run: null,
  },
};

interface Outcome {
  readonly placed: Placed;
  readonly detected: Readonly<Record<string, unknown>>;
  readonly init: Finished;
  readonly run: Finished | null;
}

async function firstFiveMinutes(name: string): Promise<Outcome> {
  const newcomer = newcomers.find((one) => one.name === name);
  if (newcomer === undefined) throw new Error(`no repository ${name}`);
  const program = pawl();
  opened.push(program);
  const placed = settle(newcomer, program.root, program.env);
  const script = join(program.root, 'agent.mjs');
  writeFileSync(script, agent);
  const where = { cwd: placed.directory, env: placed.env };
  const { detected } = (await program.run(['checks', '--json'], where)).json();
  const init = await program.run(['init', '-y', '--agent-cmd', `node ${script}`], where);
  const isReady = init.exit === 0;
  const run = isReady ? await program.run(['run', 'find the answer'], where) : null;
  return { placed, detected: detected as Outcome['detected'], init, run };
}

test.each(newcomers.map(({ name }) => name))(
  'a newcomer: %s (EV-65, L-G17, L-G18, L-G19)',
  async (name) => {
    const wanted = expected[name];
    if (wanted === undefined) throw new Error(`nothing is expected of ${name}`);
    const { placed, detected, init, run } = await firstFiveMinutes(name);
    const found = foundIn(detected);
    const tools = [placed.tools, found.setup ?? '–', found.checks.join(' · ') || '–'];
    const row = [name, ...tools, shown(init, wanted.init), shown(run, wanted.run)];
    note(row);
    const { setup, checks, cwd = '' } = wanted;
    expect(found).toEqual({ setup, checks, cwd });
    expect(`${init.stdout}${init.stderr}`).toMatch(wanted.init.says);
    expect(init.exit).toBe(wanted.init.exit);
    if (wanted.run === null || run === null) {
      expect(run).toBe(wanted.run);
      return;
    }
    expect(`${run.stdout}${run.stderr}`).toMatch(wanted.run.says);
    expect(run.exit).toBe(wanted.run.exit);
    checkStubs(placed, wanted.calls ?? []);
    checkUntouched(placed, wanted.cwd ?? '');
  },
);

function foundIn(detected: Outcome['detected']) {
  const checks = detected['checks'] as readonly { readonly command: string }[];
  const setup = detected['setup'] as { readonly command: string } | null;
  return {
    setup: setup?.command ?? null,
    checks: checks.map(({ command }) => command),
    cwd: detected['cwd'] ?? '',
  };
}

/** The cell of the table: the word only where the program said what it must. */
function shown(
  finished: Finished | null,
  wanted: { readonly says: RegExp; readonly word?: string } | null,
): string {
  if (finished === null || wanted === null) return '–';
  const isSaid = wanted.says.test(`${finished.stdout}${finished.stderr}`);
  const word = isSaid ? wanted.word : 'NOT what was promised';
  return `exit ${finished.exit}${word === undefined ? '' : `: ${word}`}`;
}

/** Each stub was called as the tool would have been; a real tool writes nothing down. */
function checkStubs(placed: Placed, calls: readonly string[]): void {
  if (!placed.tools.includes('stub')) return;
  expect(placed.calls().split('\n')).toEqual(expect.arrayContaining([...calls]));
}

/** Nothing was committed, and nothing but init's own files lies in the checkout. */
function checkUntouched({ root }: Placed, cwd: string): void {
  const folder = relative('.', cwd);
  const status = runGit(root, 'status', '--porcelain', '--untracked-files=normal').split('\n');
  const own = ['.pawl/', 'pawl.yaml'].map((path) => `?? ${join(folder, path)}`);
  const dirt = status.filter((line) => !own.includes(line) && !own.includes(`${line}/`));
  expect(dirt.filter((line) => !/answer\.txt$|notes\.txt$/.test(line))).toEqual([]);
  expect(runGit(root, 'rev-list', '--count', 'main')).toBe('1');
}
