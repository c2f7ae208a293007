/** `pawl checks`: what would have to pass here; with `--run`, whether it can on the base commit. */
import { dirname } from 'node:path';
import { define } from '../contract/define.ts';
import type { Layer } from '../contract/layer.ts';
import { mergeLayers } from '../contract/merge.ts';
import { detectedLayer } from './chosen-checks.ts';
import type { Command, Context } from './command.ts';
import { checksIn } from './define-here.ts';
import { type Discovery, discover, discoveryJson } from './discovery.ts';
import { exits } from './exit.ts';
import { flagLayer } from './run-flags.ts';
import { readSettings } from './settings.ts';
import { greenLines, tryChecks, unrunnable } from './trial.ts';
import { discoveryLines } from './views/discovery.ts';
import type { Trial } from './views/trial.ts';

export const command: Command = {
  name: 'checks',
  summary: 'Which checks and which setup are found here; nothing is started.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [
    { name: 'run', kind: 'switch', says: 'try them now, in a clean checkout of the base commit' },
    { name: 'check', short: 'c', kind: 'list', value: 'cmd', says: 'this one instead' },
    { name: 'setup', kind: 'value', value: 'cmd', says: 'this setup instead; none' },
  ],
  examples: ['pawl checks --run', 'pawl checks --setup "npm ci" --check "npm test" --run'],
  run,
};

async function run(context: Context): Promise<number> {
  const { layers, projectFile } = await readSettings(context, await context.projectRoot());
  const told = [flagLayer(context.given), ...layers];
  const { value } = mergeLayers(told);
  const found = await discover(
    context,
    projectFile === null ? context.directory : dirname(projectFile),
  );
  context.print(discoveryLines(found, context.style.columns));
  context.print(toldLines(value));
  const trial = context.given.has('run')
    ? await tried(context, { found, told, projectFile })
    : null;
  context.print(nextLines(context, found, value));
  if (context.isJson) {
    context.json({
      schema: 'pawl.checks/1',
      detected: discoveryJson(found),
      told: { setup: value.workspace?.setup?.run ?? null, criteria: value.criteria ?? null },
      baseline: trial === null ? null : baselineJson(trial),
    });
  }
  return exits.done;
}

/** What would be typed next: nothing to try where there is no check. */
function nextLines(
  { given, called }: Context,
  { detected }: Discovery,
  { criteria = [] }: ReturnType<typeof mergeLayers>['value'],
): readonly string[] {
  const hasChecks = criteria.length + detected.checks.length > 0;
  if (given.has('run')) return [`Next:  ${called} run "make the failing tests pass"`];
  return hasChecks
    ? [`Next:  ${called} checks --run  tries them on the base commit`]
    : [`Next:  ${called} checks --check "…" --run   or  ${called} init`];
}

function toldLines(value: ReturnType<typeof mergeLayers>['value']): readonly string[] {
  const setup = value.workspace?.setup?.run;
  const checks = (value.criteria ?? []).map((one) => Object.values(one)[0]);
  return [
    ...(setup === undefined ? [] : [`  set here         setup ${setup}`]),
    ...checks.map((one, index) => `  ${index === 0 ? 'set here        ' : ' '.repeat(16)} ${one}`),
  ];
}

interface Here {
  readonly found: Discovery;
  readonly told: readonly Layer[];
  readonly projectFile: string | null;
}

/** @throws RequestError `check_unrunnable`. */
async function tried(context: Context, { found, told, projectFile }: Here): Promise<Trial> {
  const { checkout, detected } = found;
  const criteria = detected.checks.map(({ kind, command: line }) => ({ [kind]: line }));
  const layer = detectedLayer({ criteria, setup: detected.setup?.command ?? null }, 'checks');
  const { definition } = define([nobody, ...told, layer], {
    goal: 'the checks pass',
    name: 'checks',
    project: {
      root: checkout.root,
      name: 'checks',
      kind: 'user',
      cwd: checksIn(found, projectFile),
    },
    base: checkout.git ? checkout.head : null,
    baseBranch: checkout.git ? checkout.branch : null,
    includeChanges: false,
    path: context.options.env['PATH'] ?? null,
    environment: context.options.env,
    extraCriteria: [],
  });
  const trial = await tryChecks(context, definition);
  const refused = unrunnable(trial, definition, found);
  if (refused !== null) throw refused;
  context.print(greenLines(trial, definition));
  return trial;
}

/** Checks are tried without any agent. */
const nobody: Layer = {
  origin: 'checks',
  kind: 'flags',
  value: { agents: { nobody: { command: ['nobody'] } }, roles: { execute: { agent: 'nobody' } } },
  where: () => 'checks',
};

export function baselineJson({ report, setup, setupMs }: Trial) {
  return {
    outcome: report.outcome,
    setup: setup === null ? null : { command: setup, outcome: report.setup, ms: setupMs },
    summary: report.summary,
    checks: report.criteria.map(({ what, outcome, exit, counts, durationMs }) => ({
      command: what,
      outcome,
      exit,
      counts,
      ms: durationMs,
    })),
  };
}
