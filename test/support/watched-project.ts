/**
 * A repository whose agent works until it is told to end, and writes down what it does in a witness
 * outside of it: whether two of them ever worked at once, and what was done twice, is seen there.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Wrote {
  readonly at: number;
  readonly execution: string;
  readonly attempt: number;
  readonly what: 'start' | 'work' | 'done';
}

export interface Watched {
  readonly directory: string;
  readonly agent: string;
  readonly witness: string;
  /**
   * While it is there, agents go on working. It may say how, and whose: `silent` or `repainting`,
   * then ids of executions, `*` for every one.
   */
  readonly hold: string;
  wrote(): readonly Wrote[];
  git(...args: readonly string[]): string;
}

/** It goes on through SIGTERM, so that only its end ends it. */
const agent = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
process.on('SIGTERM', () => {});
const [witness, hold] = process.argv.slice(2);
const { PAWL_EXECUTION: execution, PAWL_ATTEMPT: attempt } = process.env;
const tell = (what) =>
  appendFileSync(witness, [Date.now(), execution, attempt, what].join(' ') + '\\n');
const asked = () => {
  try {
    const [how = '', ...whose] = readFileSync(hold, 'utf8').split(' ');
    return whose.includes('*') || whose.includes(execution) ? how : '';
  } catch {
    return null;
  }
};
tell('start');
for (let n = 0, how = asked(); how !== null; n += 1, how = asked()) {
  if (how === '') writeFileSync('progress.txt', execution + ' ' + Date.now() + '\\n');
  if (how === 'repainting') process.stdout.write('\\r' + '/-+'[n % 3] + ' working ' + (n >> 4) + 's');
  tell('work');
  await wait(50);
}
writeFileSync('answer.txt', '42\\n');
tell('done');
`;
const check = `
import { readFileSync } from 'node:fs';
process.exit(readFileSync('answer.txt', 'utf8') === '42\\n' ? 0 : 1);
`;

export function watchedProject(root: string): Watched {
  const directory = join(root, 'project');
  const [witness, hold] = [join(root, 'witness.txt'), join(root, 'hold')];
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'answer.txt'), '0\n');
  writeFileSync(join(directory, 'check.mjs'), check);
  writeFileSync(join(root, 'agent.mjs'), agent);
  for (const file of [witness, hold]) writeFileSync(file, '');
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '-m', 'start');
  return {
    directory,
    agent: join(root, 'agent.mjs'),
    witness,
    hold,
    wrote: () => read(witness),
    git,
  };
}

const read = (witness: string): readonly Wrote[] =>
  readFileSync(witness, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [at, execution = '', attempt, what] = line.split(' ');
      return { at: Number(at), execution, attempt: Number(attempt), what: what as Wrote['what'] };
    });
