/**
 * bench:door — what the models door adds to a streamed answer: time to the first byte, delay of each
 * chunk, memory while 100 MB pass.
 *
 * Method: service, door and client are processes of their own on loopback. Requests go direct and
 * through the door in turn within one run, since figures of different moments of a shared machine
 * do not compare; each answer is 20 chunks, 5 ms apart, that carry the instant they were sent at.
 * The processor time of the door per request depends least on what else the machine does.
 * Aims, on a quiet machine: at most 1.5 ms (13 KB requests) and 5 ms (212 KB) added to the first
 * byte, at most 20 MB of memory.
 *
 *   node bench/door.mjs [--rounds 200] [--json]
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const here = fileURLToPath(import.meta.url);
const root = dirname(dirname(here));
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    json: { type: 'boolean', default: false },
    role: { type: 'string', default: 'client' },
    module: { type: 'string', default: '' },
    upstream: { type: 'string', default: '' },
  },
});
const chunks = 20;
const chunkGapMs = 5;
const megabytes = 100;
/** One clock for all processes of the machine. */
const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

/** Answers with chunks that say when they were sent, or with many megabytes as fast as they go. */
function service() {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().once('end', () => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      if (incoming.headers['x-title'] === 'large') pour(outgoing);
      else trickle(outgoing, 0);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

const event = (content, reason = null) =>
  `data: ${JSON.stringify({ model: 'gpt-5', choices: [{ delta: { content }, finish_reason: reason }] })}\n\n`;
const usage = { prompt_tokens: 10, completion_tokens: 20 };
const last = `${event('', 'stop')}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`;

function trickle(outgoing, n) {
  if (n === chunks) return outgoing.end(last);
  outgoing.write(event(`@${nowMs()}@`));
  return setTimeout(trickle, chunkGapMs, outgoing, n + 1);
}

function pour(outgoing) {
  const piece = event('x'.repeat(16_000)).repeat(4);
  let left = megabytes * 1_000_000;
  const write = () => {
    while (left > 0) {
      left -= piece.length;
      if (!outgoing.write(piece)) return outgoing.once('drain', write);
    }
    return outgoing.end(last);
  };
  write();
}

/** The door as the lane host opens it; tells the most memory that it held since the last question. */
async function door() {
  const { modelsDoor, nodeClock, memoryBudget } = await import(pathToFileURL(values.module).href);
  const opened = await modelsDoor({
    clock: nodeClock(),
    credential: async () => 'sk-bench',
    onFailure: (error) => process.stderr.write(`${error}\n`),
  })({
    mode: 'inject',
    upstreams: { openai: { base: values.upstream, credential: 'env:KEY' } },
    budget: memoryBudget({ costUsd: null, tokens: null }),
    onSignal: () => undefined,
  });
  let most = 0;
  setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 100);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send({ most: Math.max(most, process.memoryUsage.rss()), cpuMs: (user + system) / 1e3 });
    most = 0;
  });
  process.send(opened.url);
}

async function client() {
  const rounds = Number(values.rounds);
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-door-'));
  const started = [];
  try {
    const module = await bundled(folder);
    const port = await begun(started, ['--role', 'service']);
    const direct = `http://127.0.0.1:${port}`;
    const through = await begun(started, [
      '--role',
      'door',
      '--module',
      module,
      '--upstream',
      direct,
    ]);
    const ways = { direct, door: through };
    const rows = [];
    for (const [name, bytes] of [
      ['13 KB', 13_000],
      ['212 KB', 212_000],
    ]) {
      for (const parallel of [1, 20]) {
        const before = (await told(started[1])).cpuMs;
        const times = Math.ceil(rounds / parallel);
        const row = await inTurn(ways, bytes, { rounds: times, parallel });
        const spent = (await told(started[1])).cpuMs - before;
        const cpuMs = rounded(spent / (times * parallel + 1));
        rows.push({ name: parallel === 1 ? name : `${name}, 20 at once`, cpuMs, ...row });
      }
    }
    const memory = await memoryOf(ways, started[1]);
    report({ rounds, load: loadavg()[0], rows, memory });
  } finally {
    for (const child of started) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundled(folder) {
  const outfile = join(folder, 'door.mjs');
  await build({
    stdin: {
      contents: `export { modelsDoor } from './src/doors/models/door.ts';
export { memoryBudget } from './src/doors/models/memory-budget.ts';
export { nodeClock } from './src/host/clock.ts';`,
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outfile,
    logLevel: 'warning',
  });
  return outfile;
}

function begun(started, args) {
  const child = fork(here, args);
  started.push(child);
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
  });
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** One request; the delays of its chunks and the time to its first byte. */
function ask(base, body, headers = {}) {
  return new Promise((resolve, reject) => {
    const sentMs = nowMs();
    const outgoing = request(`${base}/v1/chat/completions`, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (answer) => {
      let firstByteMs = null;
      let bytes = 0;
      const delays = [];
      answer.on('data', (chunk) => {
        const at = nowMs();
        firstByteMs ??= at - sentMs;
        bytes += chunk.length;
        if (headers['x-title'] === 'large') return;
        for (const [, sent] of chunk.toString().matchAll(/@([\d.]+)@/g)) delays.push(at - sent);
      });
      answer.on('error', reject);
      answer.on('end', () => resolve({ firstByteMs, delays, bytes, spanMs: nowMs() - sentMs }));
    });
    outgoing.end(body);
  });
}

async function inTurn(ways, bytes, { rounds, parallel }) {
  const text = 'The quick brown fox jumps over "the" lazy dog.\n';
  const content = text.repeat(Math.ceil(bytes / (text.length + 3)));
  const messages = [{ role: 'user', content }];
  const body = JSON.stringify({ model: 'gpt-5', stream: true, messages });
  const first = { direct: [], door: [] };
  const delay = { direct: [], door: [] };
  for (const base of Object.values(ways)) await ask(base, body);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, base] of Object.entries(ways)) {
      const answers = await Promise.all(Array.from({ length: parallel }, () => ask(base, body)));
      first[name].push(...answers.map(({ firstByteMs }) => firstByteMs));
      delay[name].push(...answers.flatMap(({ delays }) => delays));
    }
  }
  return { firstByte: compared(first), chunk: compared(delay) };
}

function quantile(spans, fraction) {
  const sorted = spans.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))];
}
const rounded = (ms) => Number(ms.toFixed(2));

function compared({ direct, door: through }) {
  const at = (fraction) => ({
    direct: rounded(quantile(direct, fraction)),
    door: rounded(quantile(through, fraction)),
  });
  const median = at(0.5);
  return {
    median,
    p99: at(0.99),
    addedMs: rounded(median.door - median.direct),
    ratio: rounded(median.door / median.direct),
  };
}

function told(child) {
  return new Promise((resolve) => {
    child.once('message', resolve);
    child.send('memory');
  });
}

async function memoryOf(ways, child) {
  const body = JSON.stringify({ model: 'gpt-5', stream: true, messages: [] });
  const before = (await told(child)).most;
  const spans = {};
  for (const [name, base] of Object.entries(ways)) {
    const { bytes, spanMs } = await ask(base, body, { 'x-title': 'large' });
    spans[name] = { megabytes: Math.round(bytes / 1e6), seconds: rounded(spanMs / 1_000) };
  }
  const { most } = await told(child);
  const megabyte = (bytes) => Math.round(bytes / 1024 / 1024);
  return {
    spans,
    beforeMb: megabyte(before),
    mostMb: megabyte(most),
    addedMb: megabyte(most - before),
  };
}

function report(figures) {
  if (values.json) return process.stdout.write(`${JSON.stringify(figures)}\n`);
  const print = (line) => process.stdout.write(`${line}\n`);
  print(`${figures.rounds} requests each way, load ${figures.load.toFixed(1)}`);
  print(
    'request              first byte: direct → door (p99), added     chunk: direct → door, added',
  );
  for (const { name, cpuMs, firstByte, chunk } of figures.rows) {
    const side = ({ median, p99, addedMs, ratio }) =>
      `${median.direct} → ${median.door} ms (${p99.direct} → ${p99.door}), +${addedMs} ms, ${ratio} ×`;
    print(`${name.padEnd(20)} ${side(firstByte).padEnd(55)} ${side(chunk)}; ${cpuMs} ms CPU`);
  }
  const { spans, beforeMb, mostMb, addedMb } = figures.memory;
  print(
    `${spans.door.megabytes} MB: direct ${spans.direct.seconds} s, door ${spans.door.seconds} s; ` +
      `memory of the door ${beforeMb} → ${mostMb} MB, +${addedMb} MB`,
  );
}

const roles = { client, service, door };
await roles[values.role]();
