/**
 * `pawl worker`: does the work of a server on this machine, with neither its disk nor its database;
 * on the server, who may do so.
 */
import { RequestError } from '../kernel/errors.ts';
import type { KnownWorker } from '../ports/worker-registry.ts';
import { answer, type Command, type Context } from './command.ts';
import type { WorkerRequest } from './composition.ts';
import { exits } from './exit.ts';
import { clock, iso } from './format.ts';
import { usage } from './parse.ts';
import { humanRequired } from './principal.ts';
import { addressOf } from './server.ts';
import { storePlace } from './store-place.ts';
import { table } from './views/page.ts';

/** Of an enrolment that says none. */
export const slotsDefault = 2;
const slotsMax = 64;

export const command: Command = {
  name: 'worker',
  summary: 'Do the work of a server on this machine, or say who may.',
  arguments: { usage: '[enroll | list | revoke <id or name>]', min: 0, max: 2 },
  flags: [
    {
      name: 'server',
      kind: 'list',
      value: 'url',
      says: 'a server; given several times, servers of one store, asked in turn',
    },
    { name: 'code', kind: 'value', value: 'code', says: 'enrol with this code, once' },
    {
      name: 'slots',
      kind: 'value',
      value: 'n',
      says: `at once at most (as enrolled; else ${slotsDefault})`,
    },
    {
      name: 'label',
      kind: 'list',
      value: 'label',
      says: 'what this machine has; a job may ask for it (labels:); kept for later starts',
    },
    { name: 'no-labels', kind: 'switch', says: 'forget the labels of the last start' },
    {
      name: 'name',
      kind: 'value',
      value: 'name',
      says: 'with --code: how the server lists it (host name)',
    },
  ],
  examples: [
    'pawl worker enroll',
    'pawl worker --server https://pawl.example:7295 --code 7KQ2-9XWD-M4HT-3RBC',
    'pawl worker list',
  ],
  run,
};

async function run(context: Context): Promise<number> {
  const [verb, id, ...more] = context.given.words;
  if (verb === undefined) return work(context);
  if (verb === 'enroll' && id === undefined) return enroll(context);
  if (verb === 'list' && id === undefined) return list(context);
  if (verb === 'revoke' && id !== undefined && more.length === 0) return revoke(context, id);
  throw usage('worker', `usage: pawl worker ${command.arguments.usage}`);
}

async function work(context: Context): Promise<number> {
  const { given, io, options } = context;
  const request = requestOf(context);
  const ending = new AbortController();
  const unwatch = (['SIGTERM', 'SIGINT'] as const).map((signal) =>
    io.onSignal(signal, () => ending.abort()),
  );
  // A terminal that closes does not end it.
  unwatch.push(io.onSignal('SIGHUP', () => {}));
  const isJson = given.has('json');
  const log = (line: string): void => {
    const at = iso(io.now());
    const entry = { schema: 'pawl.log/1', at, level: 'info', event: 'worker', line };
    io.stdout.write(isJson ? `${JSON.stringify(entry)}\n` : `${at} ${line}\n`);
  };
  try {
    await options.worker.work(request, { signal: ending.signal, log });
  } finally {
    for (const stop of unwatch) stop();
  }
  return exits.done;
}

const labelForm = /^[\w.:@/+-]{1,120}$/;
const labelsMax = 32;

function requestOf({ given, options }: Context): WorkerRequest {
  const slots = given.whole('slots', 1);
  if (slots !== null && slots > slotsMax) {
    const details = { where: '--slots', allowed: `1 to ${slotsMax}` };
    throw new RequestError('bad_value', `at most ${slotsMax} slots`, details);
  }
  const labels = given.list('label');
  const name = given.text('name') ?? options.worker.hostName;
  const wrong = [...labels, name].find((label) => !labelForm.test(label));
  if (wrong !== undefined || labels.length > labelsMax) {
    throw new RequestError('bad_value', `"${wrong ?? labels.length}" is no label or name`, {
      where: wrong === name ? '--name' : '--label',
      allowed: `letters, digits and . : @ / + - _, at most 120; at most ${labelsMax} labels`,
    });
  }
  return {
    servers: [...new Set(given.list('server').map((url) => addressOf(options, url, '--server')))],
    code: codeIn(given),
    name,
    labels: labelsIn(given),
    slots,
  };
}

function codeIn(given: Context['given']): string | null {
  const code = given.text('code');
  if (code?.trim() !== '') return code;
  throw new RequestError('bad_value', 'the code is empty', {
    where: '--code',
    next: 'pawl worker enroll (on the server)',
  });
}

/** Null: those of the last start stay. */
function labelsIn(given: Context['given']): readonly string[] | null {
  const labels = given.list('label');
  const isNone = given.has('no-labels');
  if (isNone && labels.length > 0) throw usage('worker', 'either --label or --no-labels');
  return isNone || labels.length > 0 ? labels : null;
}

/** A token enrols nobody: only who sits at a terminal does (DESIGN §11a). */
async function enroll(context: Context): Promise<number> {
  const { io, called, options } = context;
  const line = `${called} worker enroll`;
  const principal = await context.human('worker enroll', null, line);
  if (principal.channel !== 'terminal') {
    throw humanRequired('worker enroll', 'an operator token, not a terminal', line);
  }
  const registry = await options.worker.registry();
  const { code, expiresAt } = await registry.enroll();
  answer(
    context,
    [
      code,
      `good for one worker until ${clock(io, expiresAt)}; it is not shown again`,
      `next       ${called} worker --server <address of this server> --code ${code}`,
    ],
    { schema: 'pawl.enrolment/1', code, expiresAt: iso(expiresAt) },
  );
  return exits.done;
}

async function list(context: Context): Promise<number> {
  const { io, options } = context;
  const workers = await (await options.worker.registry()).list();
  const rows = workers.map((worker) => [
    worker.id,
    worker.name,
    worker.state === 'revoked' ? 'revoked' : `${worker.busy} of ${worker.slots} slots`,
    `${worker.state === 'gone' ? 'gone since' : 'seen'} ${clock(io, worker.seenAt)}`,
    worker.labels.join(', '),
  ]);
  const lines =
    rows.length === 0
      ? [`no worker is enrolled in ${await storePlace(context)}.`]
      : table(rows, context.style.columns);
  answer(context, lines, { schema: 'pawl.workers/1', workers: workers.map(jsonOf) });
  return exits.done;
}

/** Whoever may run this may take a right away; nobody is given one. */
async function revoke(context: Context, which: string): Promise<number> {
  const registry = await context.options.worker.registry();
  const id = idOf(await registry.list(), which);
  if (id === null || !(await registry.revoke(id))) {
    throw new RequestError('bad_value', `there is no worker ${which}`, {
      next: `${context.called} worker list`,
    });
  }
  answer(context, [`✓ revoked ${id}`], { schema: 'pawl.worker/1', id, revoked: true });
  return exits.done;
}

/** A name is good for one where no other that has not been revoked has it. */
function idOf(workers: readonly KnownWorker[], which: string): string | null {
  if (workers.some(({ id }) => id === which)) return which;
  const named = workers.filter(({ name, state }) => name === which && state !== 'revoked');
  if (named.length <= 1) return named[0]?.id ?? null;
  throw new RequestError('bad_value', `${named.length} workers are named ${which}: say which`, {
    allowed: named.map(({ id, state }) => `${id} (${state})`).join(', '),
    next: `pawl worker revoke ${named[0]?.id ?? which}`,
  });
}

const jsonOf = ({ enrolledAt, seenAt, ...worker }: KnownWorker) => ({
  ...worker,
  enrolledAt: iso(enrolledAt),
  seenAt: iso(seenAt),
});
