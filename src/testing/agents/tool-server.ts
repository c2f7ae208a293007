/** A server of one tool over stdio (MCP), which notes every method that it is asked. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolServer } from '../../ports/agent.ts';

const program = `import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const tool = { name: 'echo_back', description: 'Says it again.', inputSchema: {
  type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } };
const answers = {
  initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} },
    serverInfo: { name: 'probe', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: String(params.arguments.text) }] }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  appendFileSync(process.argv[2], method + '\\n');
  if (id === undefined) return;
  const answer = answers[method];
  const said = answer === undefined
    ? { error: { code: -32601, message: 'Method not found' } }
    : { result: answer(params ?? {}) };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...said }) + '\\n');
});
`;

export interface ProbeServer {
  readonly server: ToolServer;
  /** What it was asked, in order. */
  methods(): readonly string[];
}

export function probeServer(directory: string): ProbeServer {
  const file = join(directory, 'tool-server.mjs');
  const log = join(directory, 'tool-server.log');
  writeFileSync(file, program, { mode: 0o600 });
  return {
    server: { name: 'probe', command: process.execPath, args: [file, log], env: {} },
    methods: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
  };
}
