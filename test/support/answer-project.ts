import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the wrong answer first, the right one next, and one line in the witness for each start.
 */
const agent = `
import { appendFileSync, writeFileSync } from 'node:fs';
const [witness] = process.argv.slice(2);
appendFileSync(witness, process.env.PAWL_EXECUTION + ' ' + process.env.PAWL_ATTEMPT + '\\n');
writeFileSync('answer.txt', process.env.PAWL_ATTEMPT === '1' ? '41\\n' : '42\\n');
console.log('done, all tests pass');
`;
const check = `
import { readFileSync } from 'node:fs';
process.exit(readFileSync('answer.txt', 'utf8') === '42\\n' ? 0 : 1);
`;

export interface Project {
  readonly directory: string;
  /** Arguments of `pawl run`. */
  readonly run: readonly string[];
  /** One per start of the agent, in order. */
  starts(): readonly { readonly execution: string; readonly attempt: number }[];
  git(...args: readonly string[]): string;
}

/**
 * A repository whose check needs exactly two attempts of its agent, and a witness outside of it.
 */
export function project(root: string): Project {
  const directory = join(root, 'project');
  const witness = join(root, 'witness.txt');
  mkdirSync(directory);
  writeFileSync(join(directory, 'answer.txt'), '0\n');
  writeFileSync(join(directory, 'check.mjs'), check);
  writeFileSync(join(root, 'agent.mjs'), agent);
  writeFileSync(witness, '');
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '-m', 'start');
  const command = `node ${join(root, 'agent.mjs')} ${witness}`;
  return {
    directory,
    run: ['run', 'find the answer', '--agent-cmd', command, '--check', 'node check.mjs'],
    starts: () =>
      readFileSync(witness, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => {
          const [execution = '', attempt = ''] = line.split(' ');
          return { execution, attempt: Number(attempt) };
        }),
    git,
  };
}
