/**
 * An agent that asks for leave, as a program of its own that speaks ACP: in each turn it asks for
 * one call, does it when it may, and says that its turn is over. It is called `qwen`, since that is
 * an agent that is held to asking. What happens to it stands in a log.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface AskingAgent {
  /** Its folder, for the PATH. */
  readonly folder: string;
  /** `asked`, `allow`, `deny`, each with the pid of who it was told to. */
  log(): readonly string[];
}

export function askingAgent(root: string, more: { readonly diesAfterFirstYes?: true } = {}) {
  const folder = join(root, 'agent');
  const log = join(root, 'agent.log');
  mkdirSync(folder, { recursive: true });
  // What makes it look logged in, in the home of the test.
  mkdirSync(join(root, 'user/.qwen'), { recursive: true });
  writeFileSync(join(root, 'user/.qwen/oauth_creds.json'), '{}');
  writeFileSync(log, '');
  const program = join(folder, 'qwen');
  writeFileSync(program, text(log, more.diesAfterFirstYes === true));
  chmodSync(program, 0o755);
  const lines = () => readFileSync(log, 'utf8').trim().split('\n');
  return { folder, log: () => lines().filter((line) => line !== '') } satisfies AskingAgent;
}

const text = (log: string, dies: boolean) => `#!/usr/bin/env node
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');
if (process.argv.includes('--version')) { console.log('0.15.10'); process.exit(0); }
const note = (word) => appendFileSync(${JSON.stringify(log)}, word + ' ' + process.pid + '\\n');
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
let prompt = null;
const ask = () => {
  note('asked');
  const toolCall = { toolCallId: 't1', title: 'git push origin', kind: 'execute',
    rawInput: { command: 'git push origin' } };
  const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' }];
  say({ id: 'ask', method: 'session/request_permission',
    params: { sessionId: 's-1', toolCall, options } });
};
const answered = ({ outcome }) => {
  const isYes = outcome.optionId === 'yes';
  const isFirst = !readFileSync(${JSON.stringify(log)}, 'utf8').includes('allow');
  note(isYes ? 'allow' : 'deny');
  if (isYes && isFirst && ${dies}) process.kill(process.pid, 'SIGKILL');
  if (isYes) writeFileSync('answer', 'pushed\\n');
  say({ id: prompt, result: { stopReason: 'end_turn' } });
};
const heard = ({ id, method, result }) => {
  if (id === 'ask') return answered(result);
  if (method === 'initialize') return say({ id, result: { protocolVersion: 1,
    agentCapabilities: { loadSession: true }, agentInfo: { name: 'qwen', version: '0.15.10' } } });
  if (method === 'session/new') return say({ id, result: { sessionId: 's-1' } });
  if (method === 'session/prompt') { prompt = id; return ask(); }
  if (id !== undefined) say({ id, result: {} });
};
require('node:readline').createInterface({ input: process.stdin })
  .on('line', (line) => heard(JSON.parse(line))).on('close', () => process.exit(0));
`;
