/**
 * Goal: a secret is nowhere but where it must be: not in a store, an artifact, a journal, a log, a
 * notice, an answer, an argument list, an environment of others, a commit.
 * Method: every secret of a run is a unique value; its agent prints what it was given wherever it
 * can. Then everything is searched, while it runs and after. A control word that the agent prints
 * beside its secrets must be found, so that a search that looks nowhere does not pass.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type Canary,
  canary,
  canaryOf,
  type Findings,
  filesBelow,
  findings,
  heldBy,
  objectsOf,
  type Place,
  recordingProxy,
  rowsOf,
  seenOf,
} from '../support/canaries.ts';
import { canaryAgent } from '../support/canary-agent.ts';
import { type Finished, type Pawl, pawl } from '../support/pawl.ts';
import { asStranger, emptyStore, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { until } from '../support/processes.ts';
import { raw, serve } from '../support/served.ts';

const odd = ['"', '+/ü'] as const;
const byEnv = canary('BY_ENV', odd);
const byFile = canary('BY_FILE', odd);
const byCommand = canary('BY_COMMAND', odd);
const modelKey = canary('model key');
/** Let through to lanes and checks by its name. */
const allowed = canary('ALLOWED_TOKEN');
const hookUrl = canary('address of the hook');
const hookKey = canary('key of the notices');
/**
 * Not promised, and so not masked: a secret that a program prints backwards, or a part of it alone,
 * and what it writes into its work, which is committed. The search must find all three.
 */
const loose = canary('LOOSE');
const backwards = canaryOf('backwards', [...loose.value].reverse().join(''));

const given = [byEnv, byFile, byCommand];
const known = [...given, modelKey, allowed, hookUrl, hookKey];
const control = canary('control');

interface Outside {
  readonly url: string;
  /** What the model service and the hook were told, in order. */
  readonly told: { readonly path: string; readonly headers: string; readonly body: string }[];
  readonly server: Server;
}
let outside: Outside;
let database: PostgresServer;

/** A service of models that repeats its caller's key in its answer, and the receiver of notices. */
function outsideWorld(): Promise<Outside> {
  const told: Outside['told'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const { url = '', headers } = request;
      told.push({ path: url, headers: JSON.stringify(headers), body });
      response.statusCode = url.includes('/hook/') ? 204 : 400;
      response.setHeader('content-type', 'application/json');
      response.end(
        url.includes('/hook/')
          ? ''
          : JSON.stringify({ error: { message: `refused: ${headers.authorization}` } }),
      );
    });
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      resolve({ url: `http://127.0.0.1:${port}`, told, server });
    }),
  );
}

beforeAll(async () => {
  outside = await outsideWorld();
  database = await startPostgres();
}, 120_000);
afterAll(async () => {
  outside.server.closeAllConnections();
  await new Promise((resolve) => outside.server.close(resolve));
  await database.stop();
});

/** Closed after each test, the newest first, however it ended. */
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
});

function opened(): Pawl {
  const own = pawl();
  closing.push(own);
  return own;
}

/** Where whoever starts the driver or the server has them. */
const shell = () => ({
  CANARY_SOURCE: byEnv.value,
  LOOSE_SOURCE: loose.value,
  ALLOWED_TOKEN: allowed.value,
  HOOK_URL: `${outside.url}/hook/${hookUrl.value}`,
  HOOK_KEY: hookKey.value,
});

interface Task {
  /** What the agent and the notices write besides; no part of pawl's state. */
  readonly place: string;
  readonly directory: string;
  git(...args: readonly string[]): string;
}

/** `allow`: what is let through must be set where the host runs. */
function task(root: string, allow = ''): Task {
  const [place, directory] = [join(root, 'place'), join(root, 'project')];
  for (const folder of [place, directory]) mkdirSync(folder);
  const put = (name: string, text: string) => writeFileSync(join(place, name), text);
  put('agent.mjs', canaryAgent);
  put('model-key', `${modelKey.value}\n`);
  put('by-file', `${byFile.value}\n`);
  put('by-command', byCommand.value);
  put('by-command.sh', 'cat "$1"\n');
  put('notice.sh', `cat >> ${place}/notices\n`);
  writeFileSync(
    join(directory, 'pawl.yaml'),
    `version: 1
agents: { mine: { command: [${process.execPath}, ${place}/agent.mjs, ${place}, ${control.value}] } }
roles: { execute: { agent: mine, login: key } }
secrets:
  OPENAI_API_KEY: "file:${place}/model-key"
  BY_ENV: "env:CANARY_SOURCE"
  BY_FILE: "file:${place}/by-file"
  BY_COMMAND: "command:sh ${place}/by-command.sh ${place}/by-command"
  LOOSE: "env:LOOSE_SOURCE"
env: { allow: [${allow}], set: { OPENAI_BASE_URL: "${outside.url}/v1" } }
check: env && test -f done.txt
notify: { to: [{ webhook: "env:HOOK_URL", secret: "env:HOOK_KEY" }, "command:sh ${place}/notice.sh"] }
`,
  );
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '-m', 'start');
  return { place, directory, git };
}

const line = ['run', 'find it', '--name', 'canary', '-n', '3'];
const looks = [
  ['show', 'canary', '--json'],
  ['show', 'canary', '--events', '--json'],
  ['show', 'canary', '--history'],
  ['show', 'canary', '--receipt', '--json'],
  ['logs', 'canary'],
  ['logs', 'canary', '--raw'],
  ['status', '--json'],
  ['list', '--all', '--json'],
  ['config', 'show'],
];

/** What every command says that looks at the run. */
function looked(own: Pawl, { directory: cwd }: Task, env = {}): Promise<readonly Place[]> {
  return Promise.all(
    looks.map(async (words) => told(words.join(' '), await own.run(words, { cwd, env }))),
  );
}

const told = (name: string, { exit, stdout, stderr }: Finished): Place => [
  name,
  `${exit}\n${stdout}\n${stderr}`,
];

/** When it waits, everything of its first attempt has been kept. */
const isWaiting = ({ place }: Task) => until(() => readdirSync(place).includes('ready'), 90_000);

/** What its notices and its agent wrote, which are told everything but secrets. */
function notices({ place }: Task): readonly Place[] {
  const posted = outside.told.filter(({ path }) => path.includes('/hook/'));
  return [
    ['notice by command', readFileSync(join(place, 'notices'), 'utf8')],
    ['notice by webhook', posted.map(({ headers, body }) => headers + body).join('\n')],
  ];
}

/** Who holds what by design; every other process, and every other name of it, is a leak. */
interface Holder {
  readonly who: RegExp;
  readonly holds: readonly Canary[];
}

/** They resolve references and post notices: what they were started with is theirs to have. */
const ofTheShell = [byEnv, allowed, hookUrl, hookKey];
const lane: Holder = { who: /^environ: .*\/place\/agent\.mjs/, holds: [...given, allowed] };
const serving = (password: Canary): Holder => ({
  who: /^environ: .*pawl\.cjs serve/,
  holds: [...ofTheShell, password],
});
/** It was typed there; it has been used up by now. */
const typed = (code: Canary): Holder => ({ who: /^argv: .*pawl\.cjs worker/, holds: [code] });

function strayIn(who: Pawl, canaries: readonly Canary[], holders: readonly Holder[]): Findings {
  const stray: Record<string, readonly string[]> = {};
  for (const [place, names] of Object.entries(findings(seenOf(who.processes()), canaries))) {
    const holds = holders.find(({ who }) => who.test(place))?.holds ?? [];
    const more = names.filter((name) => !holds.some((one) => one.name === name));
    if (more.length > 0) stray[place] = more;
  }
  return stray;
}

/** A search that looks nowhere finds nothing: the control word lies where the masked secrets do. */
function expectTold(places: readonly Place[], expected: readonly RegExp[]): void {
  const told = Object.keys(findings(places, [control]));
  for (const one of expected) {
    expect(told, 'is the search blind?').toContainEqual(expect.stringMatching(one));
  }
}

function expectNotPromised(places: readonly Place[]): void {
  const unmasked = findings(places, [loose, backwards]);
  expect(unmasked['logs canary --raw']).toEqual(['LOOSE', 'backwards']);
  const objects = [expect.stringMatching(/^objects of/), ['LOOSE']];
  expect(Object.entries(unmasked)).toContainEqual(objects);
}

async function tokenOf(own: Pawl, env = {}): Promise<Canary> {
  const words = ['operator', 'token', '--for', '1h', '--json'];
  const secret = String((await own.onTerminal(words, { env })).json()['secret']);
  return canaryOf('operator token', secret, secret.slice(-24));
}

test('a run on this machine leaves none of its secrets anywhere (XP-28, XP-29, RR-9, L-N1, L-N4, L-N5, D-108)', async () => {
  const own = opened();
  const work = task(own.root, 'ALLOWED_TOKEN');
  const operator = await tokenOf(own);
  const all = [...known, operator];
  const env = { ...shell(), PAWL_OPERATOR_TOKEN: operator.value };
  const started = own.start(line, { cwd: work.directory, env });
  expect(await isWaiting(work), 'it waits').toBe(true);
  const command: Holder = { who: /^environ: .*pawl\.cjs run/, holds: [...ofTheShell, operator] };
  const hosts: Holder = { who: /^environ: .*(driver|check-host|lane-host)\.js/, holds: ofTheShell };
  expect(strayIn(own, all, [lane, command, hosts])).toEqual({});
  const running = [...filesBelow(own.home)];
  expect(findings(running, all), 'while it runs').toEqual({});
  expectTold(running, [/\/spool\/.*\/journal\//, /\/artifacts\//]);
  writeFileSync(join(work.place, 'go'), '');
  const ran = await started.finished;
  expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  const outputs = [told('run', ran), ...(await looked(own, work))];
  expect(await until(() => readdirSync(work.place).includes('notices'), 30_000)).toBe(true);
  const places = [
    ...outputs,
    ...notices(work),
    ...filesBelow(own.home),
    ...filesBelow(join(own.root, 'user')),
    objectsOf(work.directory),
  ];
  expect(findings(places, all)).toEqual({});
  // The service was asked with its key, and the agent had its secrets.
  expect(heldBy(outside.told.map(({ headers }) => headers).join(), [modelKey])).toHaveLength(1);
  expect(heldBy(readFileSync(join(work.place, 'outside'), 'utf8'), given)).toHaveLength(3);
  expectTold(places, [/^logs/, /^show/, /store\.db/]);
  expectNotPromised(places);
}, 180_000);

test('a run on a worker, over PostgreSQL: none there, nor at the server, nor on the way back (XP-6, XP-12, XP-28, XP-29, PL-46, D-108)', async () => {
  const [own, away] = [opened(), opened()];
  const { store, password } = await guardedStore();
  const env = { ...shell(), PAWL_DATABASE: store.href };
  const work = task(own.root);
  const server = await serve(own, ['--elsewhere'], { env });
  const operator = await tokenOf(own, env);
  const enrolled = await own.onTerminal(['worker', 'enroll', '--json'], { env });
  const value = String(enrolled.json()['code']);
  const code: Canary = { name: 'enrolment code', value, needles: [value] };
  const between = await recordingProxy(server.url);
  closing.push(between);
  const worker = away.start(['worker', '--server', between.url, '--code', value]);
  const asked = { PAWL_SERVER: server.url, PAWL_OPERATOR_TOKEN: operator.value };
  const started = own.start(line, { cwd: work.directory, env: asked });
  expect(await isWaiting(work), 'it waits').toBe(true);
  /** With the tokens of the worker and its executions, as far as they were made by then. */
  const all = () => [...known, operator, password, code, ...planeTokens(between.heard())];
  const command: Holder = { who: /^environ: .*pawl\.cjs run/, holds: [operator] };
  expect(strayIn(own, all(), [lane, serving(password), command])).toEqual({});
  expect(strayIn(away, all(), [lane, typed(code)])).toEqual({});
  const running = [
    ...filesBelow(own.home),
    ...filesBelow(away.home),
    ...(await rowsOf(database.url)),
  ];
  // What a host's successor goes on with: of this execution alone, and gone with it.
  const [claim, ...more] = Object.entries(findings(running, all()));
  expect([claim, more]).toEqual([
    [
      expect.stringMatching(/\/worker\/claims\/\w+\.3\.json$/),
      [expect.stringMatching(/^token \d+ of the plane$/)],
    ],
    [],
  ]);
  expectTold(running, [/\/worker\/spool\/.*\/journal\//]);
  expect(statSync(String(claim?.[0])).mode & 0o777).toBe(0o600);
  writeFileSync(join(work.place, 'go'), '');
  const ran = await started.finished;
  expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  const outputs = [
    told('run', ran),
    ...(await looked(own, work, asked)),
    ...(await answersOf(server.url, operator, code)),
    ...(await refusedLogins(own, store, { ...asked })),
  ];
  for (const [name, { child, finished }] of [
    ['worker', worker],
    ['serve', server.started],
  ] as const) {
    child.kill('SIGTERM');
    outputs.push(told(name, await finished));
  }
  const places = [
    ...outputs,
    ['log of the database', database.said()] as const,
    ...notices(work),
    ...(await rowsOf(database.url)),
    ...filesBelow(own.home),
    ...filesBelow(away.home),
    objectsOf(work.directory),
    ...mirrorsBelow(away.home).map(objectsOf),
  ];
  expect(findings(places, all())).toEqual({});
  expect(heldBy(between.heard(), given), 'the worker was given them').not.toEqual([]);
  expectTold(places, [/^logs/, /^show/, /^events\.data/, /^artifact_chunks\.bytes/]);
  expectNotPromised(places);
}, 240_000);

/** A store whose server lets its role in by a password alone. */
async function guardedStore(): Promise<{ readonly store: URL; readonly password: Canary }> {
  const password = canary('password of the database');
  await asStranger(database.url, `create role canary login superuser password '${password.value}'`);
  const rules = join(database.directory, 'data', 'pg_hba.conf');
  writeFileSync(
    rules,
    `host all canary 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, 'utf8')}`,
  );
  await asStranger(database.url, 'select pg_reload_conf()');
  const store = new URL(await emptyStore(database.url));
  [store.username, store.password] = ['canary', password.value];
  return { store, password };
}

/** Of each that was given or shown on the way the signature, which alone is secret. */
function planeTokens(heard: string): readonly Canary[] {
  const tokens = [...new Set(heard.match(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g))];
  expect(tokens.length, 'the tokens were seen on their way').toBeGreaterThan(3);
  return tokens.map((text, n) => canaryOf(`token ${n} of the plane`, text, text.slice(-40)));
}

function mirrorsBelow(home: string): readonly string[] {
  const folder = join(home, 'worker', 'mirrors');
  return readdirSync(folder).map((name) => join(folder, name));
}

/** What callers are told whose token, address or body is wrong. */
function answersOf(url: string, operator: Canary, code: Canary): Promise<readonly Place[]> {
  const almost = `${operator.value.slice(0, -3)}xyz`;
  const enrolling = JSON.stringify({ wire: 1, code: code.value });
  const asks: Readonly<Record<string, readonly [string, string, string?, string?]>> = {
    'wrong token': ['GET', '/v1/runs', almost],
    'token in the address': ['GET', `/v1/runs?token=${operator.value}`],
    'no such place': ['GET', `/v1/nowhere?token=${operator.value}`, operator.value],
    'bad body': ['POST', '/v1/runs', operator.value, JSON.stringify({ goal: [byEnv.value] })],
    'broken body': ['POST', '/v1/runs', operator.value, `{"goal":${byFile.value}`],
    'no token of the plane': ['POST', '/plane/v1/credential', operator.value, '{"wire":1}'],
    'a code that was used': ['POST', '/plane/v1/enrol', '', enrolling],
    metrics: ['GET', '/metrics'],
    readiness: ['GET', '/readyz'],
    runs: ['GET', '/v1/runs', operator.value],
  };
  return Promise.all(
    Object.entries(asks).map(async ([name, [method, path, token = '', body]]) => {
      const authorization = token === '' ? {} : { authorization: `Bearer ${token}` };
      const sent = body === undefined ? {} : { body };
      const headers = { ...authorization, 'content-type': 'application/json' };
      const { status, text } = await raw(`${url}${path}`, { method, headers, ...sent });
      return [`HTTP ${name}`, `${status} ${text}`] as const;
    }),
  );
}

/** What the command line says of a database that is not there, and of a token that is not good. */
async function refusedLogins(own: Pawl, store: URL, asked: Readonly<Record<string, string>>) {
  const [nowhere, closed] = [new URL(store), new URL(store)];
  [nowhere.pathname, closed.port] = ['/nowhere', '1'];
  const bad = `${String(asked['PAWL_OPERATOR_TOKEN']).slice(0, -3)}xyz`;
  const tried = [
    ['good', ['db', 'status'], { PAWL_DATABASE: store.href }],
    ['no such database', ['db', 'status'], { PAWL_DATABASE: nowhere.href }],
    ['no answer', ['db', 'status', '--database', closed.href], {}],
    ['no token', ['status'], { ...asked, PAWL_OPERATOR_TOKEN: bad }],
  ] as const;
  return Promise.all(
    tried.map(async ([name, words, env]) => told(name, await own.run(words, { env }))),
  );
}
