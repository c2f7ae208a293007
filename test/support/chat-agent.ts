/** A program that asks models as every agent does, without anything else that agents are. */

/** Chat Completions: asks, runs the tool that it is told, until there is none. */
export const chatAgent = `import { execSync } from 'node:child_process';
const { OPENAI_BASE_URL: base, OPENAI_API_KEY: key } = process.env;
console.log(JSON.stringify(process.env));
const tools = [{ type: 'function', function: { name: 'bash',
  parameters: { type: 'object', properties: { command: { type: 'string' } } } } }];
const messages = [{ role: 'user', content: 'make the check pass' }];
for (let turn = 0; turn < 20; turn += 1) {
  const answer = await fetch(base + '/chat/completions', {
    method: 'POST', headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5', messages, tools }),
  });
  const body = await answer.json();
  if (!answer.ok) { console.log(answer.status, JSON.stringify(body)); process.exit(0); }
  const { message } = body.choices[0];
  messages.push(message);
  if (!message.tool_calls) break;
  for (const call of message.tool_calls) {
    const { command } = JSON.parse(call.function.arguments);
    const content = execSync(command, { encoding: 'utf8' });
    messages.push({ role: 'tool', tool_call_id: call.id, content });
  }
}
console.log('done');
`;
