/**
 * The agent of a watched project as one that speaks ACP and asks a model, as agent programs do:
 * what fails is asked for again a few times, then its turn fails with what the service said.
 *
 *   spoken-agent.mjs <witness> <hold>
 *
 * In `hold` may stand `leaving`, and whose: those end in good order in the middle of their turn.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

const [witness, hold] = process.argv.slice(2);
const { PAWL_EXECUTION: execution, PAWL_ATTEMPT: attempt } = process.env;
const { OPENAI_BASE_URL: base, OPENAI_API_KEY: key } = process.env;
const triesMax = 4;

const tell = (what) =>
  appendFileSync(witness, `${[Date.now(), execution, attempt, what].join(' ')}\n`);
const say = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** How it is to work; null: it may end. */
function asked() {
  try {
    const [how = '', ...whose] = readFileSync(hold, 'utf8').split(' ');
    return whose.includes('*') || whose.includes(execution) ? how : '';
  } catch {
    return null;
  }
}

/** Null: an answer came, whole. */
async function failureOfModel() {
  try {
    const answer = await fetch(`${base}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'gpt-5', stream: true },
        messages: [{ role: 'user', content: 'go on' }],
      }),
    });
    const said = await answer.text();
    if (!answer.ok) return answer.status;
    return said.includes('[DONE]') ? null : 502;
  } catch {
    return 502;
  }
}

/** The status with which it gives up; null: all is well. */
async function askModel() {
  for (let tries = 1; ; tries += 1) {
    const status = await failureOfModel();
    if (status === null) return null;
    if (status === 429 || tries === triesMax) return status;
    await wait(200);
  }
}

let isCalledOff = false;
async function turn(id) {
  tell('start');
  for (let how = asked(); how !== null && !isCalledOff; how = asked()) {
    if (how === 'leaving') process.exit(0);
    const status = base === undefined ? null : await askModel();
    if (status !== null) {
      const error = { code: -32603, message: `the model answered ${status}`, data: { status } };
      return say({ id, error });
    }
    writeFileSync('progress.txt', `${execution} ${Date.now()}\n`);
    tell('work');
    await wait(100);
  }
  if (isCalledOff) return say({ id, result: { stopReason: 'cancelled' } });
  writeFileSync('answer.txt', '42\n');
  tell('done');
  say({ id, result: { stopReason: 'end_turn' } });
}

function fails(error) {
  process.stderr.write(`${error}\n`);
  process.exit(1);
}

const answers = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  'session/new': { sessionId: 's-1' },
};
function heard({ id, method }) {
  if (method === 'session/cancel') isCalledOff = true;
  else if (method === 'session/prompt') turn(id).catch(fails);
  else if (id !== undefined) say({ id, result: answers[method] ?? {} });
}
createInterface({ input: process.stdin })
  .on('line', (line) => heard(JSON.parse(line)))
  .on('close', () => process.exit(0));
