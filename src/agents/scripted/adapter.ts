/**
 * The lane of a dry run: this program's own Node with a few lines that read the prompt, say what
 * they were given and end their turn. The same prompt has the same answer; no model, no network, no
 * file but the result.
 */
import type { Adapter } from '../../ports/agent.ts';
import { silent } from '../command/adapter.ts';
import { turnEnvironment } from '../turn-environment.ts';

const script = `
const { readFileSync, writeFileSync } = require('node:fs');
const [promptFile, resultFile] = process.argv.slice(1);
const prompt = readFileSync(promptFile, 'utf8');
const parts = prompt.split('\\n').filter((line) => line.startsWith('# ')).length;
const said = 'dry run: read an instruction of ' + parts + ' parts, changed nothing';
console.log(said);
writeFileSync(resultFile, JSON.stringify({ outcome: 'done', text: said }));
`;

/** `node`: what runs it. */
export function scriptedAdapter(node: string = process.execPath): Adapter {
  return {
    name: 'scripted',
    version: '1',
    launch: (setting) => ({
      argv: [node, '-e', script, setting.files.prompt, setting.files.result],
      env: turnEnvironment(setting),
      stdin: setting.dispatch.prompt,
      talk: silent,
    }),
  };
}
