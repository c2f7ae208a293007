/**
 * A lane that does what the goal in its prompt names, `condition:<name>`, and nothing else.
 *
 *   lane.mjs <alone | door | terminal> <prompt>
 *
 * door: it asks its model first, over OpenAI's Chat API. terminal: it paints a full screen twenty
 * times a second, with a spinner, a timer and all that it said.
 */
import { spawn } from 'node:child_process';

const [, , kind = 'alone', prompt = ''] = process.argv;
const condition = /condition:([a-z-]+)/.exec(prompt)?.[1];
const { OPENAI_BASE_URL: base, OPENAI_API_KEY: key } = process.env;
const messages = [{ role: 'user', content: `condition:${condition}` }];
const tools = [{ type: 'function', function: { name: 'bash', parameters: { type: 'object' } } }];
const said = [];
const say = (line) => (kind === 'terminal' ? said.push(line) : process.stdout.write(`${line}\n`));
const letters = (n) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

async function ask(stream) {
  const answer = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5', messages, tools, stream }),
  });
  const text = await answer.text();
  if (!stream) messages.push(JSON.parse(text).choices[0].message);
}

function paint(n) {
  const status = `${'⠋⠙⠹⠸⠼⠴'[n % 6]} Thinking… (esc to cancel, ${Math.floor(n / 20)}s)`;
  const rows = ['╭─── an agent ───╮', ...said.slice(-20), status, '─'.repeat(119), '> _'];
  const blank = Array.from({ length: 38 - rows.length }, () => '');
  process.stdout.write(`\x1b[H${[...rows, ...blank].map((row) => `${row}\x1b[K`).join('\r\n')}`);
}

function every(ms, act) {
  let n = 0;
  act(n);
  setInterval(() => {
    n += 1;
    act(n);
  }, ms);
}

const node = (script) => spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
/** A fifth of one processor, in silence. */
const computing =
  'setInterval(() => { const end = Date.now() + 100; while (Date.now() < end); }, 500)';

/** Once it has been there for a while, as an agent starts its tools. */
const later = (act) => setTimeout(act, kind === 'terminal' ? 8_000 : 0);

const conditions = {
  'silent-stall': () => every(1e6, () => {}),
  'repainting-stall': () => {
    if (kind === 'terminal') return;
    every(200, (n) => process.stdout.write(`\r${'|/-\\'[n % 4]} working (${Math.floor(n / 5)}s)`));
  },
  'honest-build': () => later(() => node(computing)),
  'tool-in-flight': () => spawn('sleep', ['600'], { stdio: 'ignore' }),
  'dead-child': () => {
    spawn('sleep', ['600'], { detached: true, stdio: 'inherit' }).unref();
    process.exit(0);
  },
  'no-result': () => process.exit(0),
  stopped: () => every(1_000, (n) => say(`looked at file ${letters(n)}`)),
  'model-hang': () => ask(false),
  'model-trickle': () =>
    kind === 'door' ? ask(true) : every(5_000, (n) => say(`sentence ${letters(n)} of it`)),
};

say('begun');
if (kind === 'terminal') {
  process.stdout.write('\x1b[?1049h\x1b[?25l');
  every(50, paint);
}
if (kind === 'door') await ask(false);
await conditions[condition]();
