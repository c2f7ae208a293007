/**
 * `pawl demo`: a small project with a real bug, and a repair agent that uses no model, through the
 * same path as any other run. `--crash` kills driver and lane host in the middle and carries on.
 */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { define } from '../contract/define.ts';
import type { Layer } from '../contract/layer.ts';
import { RequestError } from '../kernel/errors.ts';
import type { RunView } from '../ports/client.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { plural } from './format.ts';
import { startAndView } from './start.ts';
import { mayPrint } from './under-way.ts';
import { crashLines, demoLines } from './views/demo.ts';

export const command: Command = {
  name: 'demo',
  summary: 'Watch a small real repair run: no key, no account, no model.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [
    {
      name: 'stuck',
      kind: 'switch',
      says: 'a bug that this agent cannot repair: ends on the escalation page',
    },
    {
      name: 'crash',
      kind: 'switch',
      says: 'kill -9 of driver and lane host in the middle; it is carried on',
    },
    { name: 'clean', kind: 'switch', says: 'remove the projects of earlier demos that have ended' },
  ],
  examples: ['pawl demo', 'pawl demo --crash'],
  run,
};

const prefix = 'pawl-demo-';
const check = 'node --test';
const runsMax = 10_000;

async function run(context: Context): Promise<number> {
  const { given } = context;
  const chosen = ['stuck', 'crash', 'clean'].filter((name) => given.has(name));
  if (chosen.length > 1) {
    throw new RequestError('usage', `--${chosen.join(' and --')} are both given`, {
      next: 'keep one of them',
    });
  }
  if (given.has('clean')) return clean(context);
  const directory = await makeProject(context);
  const { called, style } = context;
  context.print(demoLines({ directory, check, called, columns: style.columns }));
  const { definition, notes } = await defineDemo(context, directory);
  const code = await startAndView(context, {
    definition,
    notes,
    heartbeatMs: 60_000,
    isDetached: false,
    ...(given.has('crash') ? { onLook: crasher(context) } : {}),
  });
  if (code === exits.done && !given.has('crash')) {
    context.print(crashLines(called, style.columns));
  }
  return code;
}

async function makeProject(context: Context): Promise<string> {
  const { demo } = context.options;
  const template = join(demo.examples, context.given.has('stuck') ? 'stuck' : 'project');
  const directory = await mkdtemp(join(demo.temporary, prefix));
  await cp(template, directory, { recursive: true });
  await demo.makeRepository(directory);
  return directory;
}

async function defineDemo(context: Context, directory: string) {
  const { demo } = context.options;
  const workspace = await context.workspace();
  const checkout = await workspace.inspect(directory);
  const agent = join(demo.examples, 'agent.mjs');
  const layer: Layer = {
    origin: 'demo',
    kind: 'flags',
    value: {
      agents: { 'repair-agent': { command: [demo.node, agent] } },
      roles: { execute: { agent: 'repair-agent' } },
      criteria: [{ test: check, timeout: '1m' }],
      brakes: { attempts: context.given.has('stuck') ? 3 : 6, time: '10m', attemptTime: '2m' },
    },
    where: () => 'demo',
  };
  const isStuck = context.given.has('stuck');
  return define([layer], {
    goal: isStuck ? 'make all tests pass' : 'repair the function that the failing test names',
    name: isStuck ? 'repair-durations' : 'repair-median',
    project: { root: checkout.root, name: 'demo', kind: 'demo', cwd: '' },
    base: checkout.git ? checkout.head : null,
    baseBranch: checkout.git ? checkout.branch : null,
    includeChanges: false,
    path: context.options.env['PATH'] ?? null,
    environment: context.options.env,
    extraCriteria: [],
  });
}

/** Kills once, as soon as a lane works. */
function crasher(context: Context): (view: RunView, say: (line: string) => void) => Promise<void> {
  let isDone = false;
  return async (view, say) => {
    const holder = view.execution?.grant?.holder ?? null;
    const isWorking = view.phase === 'executing' && view.execution?.status === 'RUNNING';
    if (isDone || holder === null || !isWorking) return;
    isDone = true;
    const { kill } = context.options.demo;
    const driver = view.driver?.holder.pid ?? null;
    if (driver !== null) kill(driver);
    kill(holder.pid);
    say(
      `killed with -9: lane host ${holder.pid}${driver === null ? '' : `, driver ${driver}`}, in attempt ${view.attempt.n}`,
    );
    // A dead driver is noticed by the viewer, but there is no reason to wait for that here.
    await (await context.client()).ensureDriver();
  };
}

/** Only folders that a demo of this store made, and none that a run still works in. */
async function clean(context: Context): Promise<number> {
  const client = await context.client();
  const runs = await client.list({
    project: null,
    open: false,
    status: [],
    since: null,
    limit: runsMax,
    demo: true,
  });
  const busy = new Set(runs.filter(mayPrint).map(({ project }) => project));
  const made = [...new Set(runs.map(({ project }) => project))].filter(isDemoFolder);
  const removed: string[] = [];
  for (const directory of made.filter((path) => !busy.has(path) && existsSync(path))) {
    await rm(directory, { recursive: true, force: true });
    removed.push(directory);
  }
  const kept = made.filter((path) => busy.has(path) && existsSync(path));
  answer(context, cleanLines(context, removed, kept), { schema: 'pawl.demo/1', removed, kept });
  return exits.done;
}

const isDemoFolder = (path: string): boolean => /^pawl-demo-[A-Za-z0-9]{6}$/.test(basename(path));

function cleanLines(
  context: Context,
  removed: readonly string[],
  kept: readonly string[],
): string[] {
  const first =
    removed.length === 0
      ? 'no demo project was removed.'
      : `removed ${plural(removed.length, 'demo project')}`;
  const open =
    kept.length === 0 ? [] : [`kept, since a run there is open (${context.called} list -A --all):`];
  const indented = (paths: readonly string[]): string[] => paths.map((path) => `  ${path}`);
  return [first, ...indented(removed), ...open, ...indented(kept)];
}
