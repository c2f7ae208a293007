/**
 * An agent program as small as can be: it takes its prompt on stdin, asks a model over OpenAI's
 * Chat API, runs the tools that the model calls, and tells all of it in JSON lines. Each mode
 * breaks one thing, as real programs were seen to.
 *
 *   fake-agent.mjs <session id, or new> <modes, with commas between them>
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [, , asked = 'new', modes = ''] = process.argv;
const is = (mode) => modes.split(',').includes(mode);
const home = process.env.FAKE_HOME;
const held = [];
const tell = (fact) => {
  if (is('hides_tools') && fact.type === 'tool') return;
  if (is('silent')) held.push(fact);
  else process.stdout.write(`${JSON.stringify(fact)}\n`);
};

const parameters = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});
const tools = [
  { name: 'write_file', parameters: parameters('path', 'content') },
  { name: 'bash', parameters: parameters('command') },
].map((one) => ({ type: 'function', function: one }));

function run(name, args) {
  if (name === 'write_file') {
    writeFileSync(is('writes_elsewhere') ? join(home, 'astray.txt') : args.path, args.content);
    return 'written';
  }
  // In a session of its own it hears nothing of what its group is told.
  const apart = is('runs_apart') ? ['setsid', '--wait'] : [];
  const [program, ...words] = [...apart, 'sh', '-c', args.command];
  const shell = spawnSync(program, words, { encoding: 'utf8' });
  return `${shell.stdout}${shell.stderr}`;
}

/** Starts each server of tools, and asks it what it offers. */
async function offered() {
  for (const { command, args, env } of JSON.parse(process.env.FAKE_SERVERS ?? '[]')) {
    const server = spawn(command, args, { env: { ...process.env, ...env }, stdio: 'pipe' });
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
    const methods = ['initialize', ...(is('lists_no_tools') ? [] : ['tools/list'])];
    for (const [id, method] of methods.entries()) {
      const params = method === 'initialize' ? { protocolVersion: '2025-06-18' } : {};
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      await lines.next();
    }
    server.kill();
    server.unref();
  }
}

async function ask(messages) {
  const answer = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify({ model: 'gpt-5', messages, tools }),
  });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  const { error } = JSON.parse(text);
  const retryAfter = answer.headers.get('retry-after') ?? error.resets_in_seconds ?? null;
  throw Object.assign(new Error(error.message), {
    status: answer.status,
    code: error.code,
    retryAfter,
  });
}

const usage = { in: 0, out: 0, cached: 0 };
function spend(of) {
  const cached = of.prompt_tokens_details?.cached_tokens ?? 0;
  const sums = is('miscounts') ? { in: 0, out: 0, cached: 0 } : usage;
  usage.in = sums.in + of.prompt_tokens - cached;
  usage.out = sums.out + of.completion_tokens;
  usage.cached = sums.cached + cached;
}

async function turn(messages) {
  for (let steps = 0; steps < 20; steps += 1) {
    const { choices, usage: of } = await ask(messages);
    spend(of);
    const { message } = choices[0];
    messages.push(message);
    const [call] = message.tool_calls ?? [];
    if (call === undefined) return message.content;
    const { name, arguments: args } = call.function;
    tell({ type: 'tool', id: call.id, name, status: 'started' });
    // The two that take their time: one that ends late, and one that never does.
    if (is('leaves_early') && /setTimeout|tail/.test(args)) return 'done';
    const content = run(name, JSON.parse(args));
    tell({ type: 'tool', id: call.id, status: 'completed' });
    messages.push({ role: 'tool', tool_call_id: call.id, content });
  }
  return 'That were too many steps.';
}

/** Through the proxy that its environment names, as programs do. */
function goOutside() {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(process.env.http_proxy);
    const path = 'http://telemetry.invalid/';
    request({ hostname, port, path }, (answer) => answer.resume().on('end', resolve)).end();
  });
}

/** Its last word about the turn. */
async function outcomeOf(messages) {
  try {
    const text = await turn(messages);
    return { type: 'done', text, usage };
  } catch (error) {
    if (is('claims_success')) return { type: 'done', text: 'All done.', usage };
    const { status = null, code = null, retryAfter = null, message } = error;
    return { type: 'failed', status, code, retryAfter, detail: message, usage };
  }
}

function sessionOf() {
  const isNew = asked === 'new' || is('forgets');
  const id = isNew ? randomUUID() : asked;
  const store = join(is('litters') ? '.' : home, `session-${id}.json`);
  const isKnown = !isNew && existsSync(store);
  return { id, store, messages: isKnown ? JSON.parse(readFileSync(store, 'utf8')) : [] };
}

async function main() {
  const prompt = readFileSync(0, 'utf8');
  const { id, store, messages } = sessionOf();
  const content = is('cuts_prompts') ? prompt.slice(0, 65_536) : prompt;
  messages.push({ role: 'user', content });
  tell({ type: 'ready', version: is('has_no_version') ? null : '1.2.3' });
  if (!is('has_no_session')) tell({ type: 'session', id });
  if (!is('has_no_tools')) await offered();
  if (is('goes_outside')) await goOutside();
  mkdirSync(home, { recursive: true });
  if (is('keeps_its_environment')) {
    writeFileSync(join(home, 'environment.json'), JSON.stringify(process.env));
  }
  tell(await outcomeOf(messages));
  if (is('hides_questions')) rmSync(process.env.PAWL_RESULT_FILE, { force: true });
  writeFileSync(store, JSON.stringify(messages));
  for (const fact of held) process.stdout.write(`${JSON.stringify(fact)}\n`);
}

await main();
