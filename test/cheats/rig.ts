/**
 * One cheat: a small repository with a genuine fault, an agent that is a script, and the built
 * program between them. What the agent tries lies in its script; what a user then sees is asked of
 * the program alone (its output, `show`, `status`), never of its insides.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { binary, type Finished, type Pawl, pawl, type StartOptions } from '../support/pawl.ts';

export interface CheatOptions {
  /** Body of a shell script; `$ROOT`, `$MAIN`, `$PAWL` and `$STATE` name what it could find out. */
  readonly agent: string;
  /** Files of the repository at its base, over the usual ones. */
  readonly files?: Readonly<Record<string, string>>;
  /** Written beside the repository, below `$ROOT`. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Body of the script that judges one oracle criterion, after the usual check. */
  readonly judge?: string;
  /** Arguments of `pawl run` after the goal, instead of the usual check. */
  readonly args?: readonly string[];
  readonly attempts?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of the repository below `$ROOT`, where several share one state. */
  readonly project?: string;
}

export interface Cheat {
  readonly program: Pawl;
  /** The user's checkout. */
  readonly main: string;
  readonly args: readonly string[];
  git(...args: readonly string[]): string;
  /** A file below `$ROOT`; empty when it is not there. */
  read(name: string): string;
  /** A command of the user's in his checkout. */
  type(args: readonly string[], options?: StartOptions): Promise<Finished>;
  /** The same in a terminal. */
  typeOnTerminal(args: readonly string[]): Promise<Finished>;
  /** `pawl run` to its end, and what is said about it afterwards. */
  run(): Promise<Outcome>;
  look(run: Finished): Promise<Outcome>;
}

export interface Outcome {
  readonly exit: number | null;
  /** All that the run printed, and then the page of `show`. */
  readonly words: string;
  readonly run: Readonly<Record<string, unknown>> & {
    readonly id: string;
    readonly status: string;
    readonly reason: string | null;
    readonly branch: string;
    readonly refusedGates: number;
  };
}

/** `answer.txt` says 0; the check wants 42, and counts as a test runner does. */
const usual: Readonly<Record<string, string>> = {
  'answer.txt': '0\n',
  'check.sh':
    'if [ "$(cat answer.txt)" = 42 ]; then echo "1 passed"; else echo "1 failed"; exit 1; fi\n',
};
export const usualCheck = ['--check', 'sh check.sh'];

/** Makes the cheat's world, hands it over, and at the end proves that nothing of it still runs. */
export async function cheat(
  options: CheatOptions,
  use: (cheat: Cheat) => Promise<void>,
): Promise<void> {
  const program = pawl();
  try {
    await use(makeCheat(program, options));
  } finally {
    await program.close();
  }
}

export function makeCheat(program: Pawl, options: CheatOptions): Cheat {
  const { root } = program;
  const project = options.project ?? 'project';
  const main = join(root, project);
  const agent = join(root, `${project}-agent.sh`);
  const judged = options.judge === undefined ? {} : { 'pawl.yaml': judgedBy(root) };
  writeAll(main, { ...usual, ...options.files, ...judged });
  writeAll(root, {
    ...options.beside,
    [`${project}-agent.sh`]: agentOf(program, main, options.agent),
    'judge.sh': `${options.judge ?? ''}\n`,
  });
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: main, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'user');
  git('config', 'user.email', 'user@localhost');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'start');
  const type: Cheat['type'] = (args, more = {}) =>
    program.run(args, { cwd: main, timeoutMs: 150_000, ...more });
  const args = [
    ...['run', 'find the answer', '--agent-cmd', `sh ${agent}`],
    ...['--attempts', String(options.attempts ?? 1)],
    ...(options.args ?? (options.judge === undefined ? usualCheck : [])),
  ];
  const look = async (run: Finished): Promise<Outcome> => {
    const page = await type(['show', '@last']);
    const shown = (await type(['show', '@last', '--json'])).json() as Outcome['run'];
    return { exit: run.exit, words: `${run.stdout}${run.stderr}\n${page.stdout}`, run: shown };
  };
  return {
    program,
    main,
    args,
    git,
    read: (name) => readOr(join(root, name)),
    type,
    typeOnTerminal: (words) => program.onTerminal(words, { cwd: main }),
    run: async () => look(await type(args, { env: options.env ?? {} })),
    look,
  };
}

/** The program is called as a cunning agent would that has looked around. */
function agentOf(program: Pawl, main: string, body: string): string {
  return [
    `ROOT=${program.root} MAIN=${main} STATE=${program.home}`,
    `PAWL="${process.execPath} ${binary}"`,
    'export ROOT MAIN STATE PAWL',
    body,
    '',
  ].join('\n');
}

function judgedBy(root: string): string {
  return [
    'version: 1',
    `agents: { judge: { command: [sh, ${join(root, 'judge.sh')}] } }`,
    'roles: { verify: { profile: oracle, agent: judge } }',
    'criteria: [{ test: sh check.sh }, { oracle: The answer is right. }]',
    '',
  ].join('\n');
}

function writeAll(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
