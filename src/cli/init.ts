/**
 * `pawl init`: looks, asks what it cannot know, tries the checks on the base commit, and writes
 * pawl.yaml (UX 1.2). Run again it proposes only what is missing and shows the difference first.
 * Nothing is committed and no agent is started.
 */
import { dirname, join, relative } from 'node:path';
import { define } from '../contract/define.ts';
import type { DefinitionFile } from '../contract/definition-file.ts';
import { definitionJsonSchema } from '../contract/json-schema.ts';
import { usualPermissions } from '../contract/known-agents.ts';
import { type Layer, readLayer } from '../contract/layer.ts';
import { mergeLayers } from '../contract/merge.ts';
import { ConfigError, RequestError } from '../kernel/errors.ts';
import type { InstalledAgent } from '../ports/detection.ts';
import type { Definition } from '../ports/words.ts';
import { ask } from './ask.ts';
import { baselineJson } from './checks.ts';
import type { Command, Context } from './command.ts';
import {
  agentsJson,
  type Discovery,
  discover,
  discoveryJson,
  manifestFolder,
} from './discovery.ts';
import { exits } from './exit.ts';
import { type Answers, heldByAnswer, interview, isInteractive } from './init-answers.ts';
import { refuseIgnored } from './init-conflicts.ts';
import { diffLines, fileText } from './init-file.ts';
import type { Permissions } from './init-policies.ts';
import { offerCommit, offerGit } from './preflight.ts';
import { problemLines, problemsOf } from './problem.ts';
import { readSettings, type Settings } from './settings.ts';
import { greenLines, tryChecks, unrunnable } from './trial.ts';
import { agentLines, discoveryLines } from './views/discovery.ts';
import type { Trial } from './views/trial.ts';

export const command: Command = {
  name: 'init',
  summary: 'Find checks, setup and agents here, try them, and write pawl.yaml.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [
    { name: 'agent', short: 'a', kind: 'value', value: 'name', says: 'who does the work' },
    { name: 'agent-cmd', kind: 'value', value: 'argv', says: 'any command as the agent' },
    { name: 'check', short: 'c', kind: 'list', value: 'cmd', says: 'this must pass; not detected' },
    { name: 'setup', kind: 'value', value: 'cmd', says: 'this setup; not detected; none' },
    { name: 'print', kind: 'switch', says: 'print the file and write nothing' },
    { name: 'force', kind: 'switch', says: 'ask everything anew, and replace the file' },
  ],
  examples: ['pawl init', 'pawl init -y', 'pawl init --print'],
  run,
};

async function run(context: Context): Promise<number> {
  refuseSilence(context);
  const isWithoutGit = await wayClear(context);
  const settings = await readSettings(context, await context.projectRoot());
  const found = await discover(context, folderOf(context, settings));
  const agents = await (await context.options.detection()).agents();
  say(context, [
    ...discoveryLines(found, context.style.columns),
    ...agentLines(agents, context.style.columns),
  ]);
  const file = await placeOfFile(context, settings, found);
  const known = file.before === null ? {} : knownIn(settings);
  refuseIgnored(context, nameOf(file), known);
  const asks = isInteractive(context);
  if (asks) context.print(['']);
  const answers = await interview(context, { found, agents, known, isInteractive: asks });
  say(context, asks ? [] : [permissionsLine(answers, known), ...manualLines(answers, known)]);
  const after = fileText(
    file.before,
    answers,
    isWithoutGit && known.workspace?.isolation === undefined,
  );
  return await propose(context, { ...file, after, found, agents, settings });
}

/** Where nobody was asked: what the agent may do all the same. */
function permissionsLine({ agent }: Answers, known: DefinitionFile): string {
  const mode = known.permissions ?? usualPermissions(heldByAnswer(known, agent));
  return `  permissions      ${mode}: ${modeWords[mode]}`;
}

const modeWords: Readonly<Record<Permissions, string>> = {
  workspace: "edits in its worktree, commands in the agent's own sandbox, no more",
  trusted: 'a command is never asked, and a worktree is not a sandbox',
  ask: 'you approve what it asks for',
};

/** Where nobody was asked it must still be seen that runs will wait for a look (UX 1.5). */
function manualLines({ checks }: Answers, { criteria }: DefinitionFile): readonly string[] {
  return checks.length > 0 || criteria !== undefined
    ? []
    : [
        '  no check         runs will be manual: each waits for you to look before it is done (exit 4)',
      ];
}

/** A question that nobody can answer is not asked. @throws RequestError `usage`. */
function refuseSilence(context: Context): void {
  const { given } = context;
  if (isInteractive(context) || given.has('yes') || given.has('print')) return;
  throw new RequestError('usage', 'pawl init asks questions, and nobody can answer here', {
    next: 'pawl init -y  takes the usual answers   or  pawl init --print  shows them',
  });
}

/** @throws RequestError `not_git`, `no_commit`. */
async function wayClear(context: Context): Promise<boolean> {
  const workspace = await context.workspace();
  const checkout = await workspace.inspect(context.directory);
  if (!checkout.git) {
    const without = `${context.called} run "…" --isolation none  does without`;
    return (await offerGit(context, checkout.root, without)) === 'without';
  }
  if (checkout.head === null) await offerCommit(context, checkout);
  return false;
}

const folderOf = (context: Context, { projectFile }: Settings): string =>
  projectFile === null ? context.directory : dirname(projectFile);

interface Place {
  /** Absolute path of the file. */
  readonly path: string;
  /** Its text, to be kept; null: written anew. */
  readonly before: string | null;
}

async function placeOfFile(
  context: Context,
  { projectFile }: Settings,
  found: Discovery,
): Promise<Place> {
  const path = projectFile ?? join(manifestFolder(found), 'pawl.yaml');
  const before = context.given.has('force') ? null : await context.io.readFile(path);
  return { path, before };
}

function knownIn({ layers }: Settings): DefinitionFile {
  return mergeLayers(layers.filter(({ kind }) => kind === 'project')).value;
}

interface Proposal extends Place {
  readonly after: string;
  readonly found: Discovery;
  readonly agents: readonly InstalledAgent[];
  readonly settings: Settings;
}

async function propose(context: Context, proposal: Proposal): Promise<number> {
  const layer = layerOf(proposal);
  if (context.given.has('print'))
    return answered(context, proposal, { layer, trial: null, written: [] });
  if (proposal.after === proposal.before) {
    say(context, [`${nameOf(proposal)} says everything that init asks; nothing is missing.`]);
    context.print(['Next:  pawl checks --run   or  pawl init --force']);
    return answered(context, proposal, { layer, trial: null, written: [] });
  }
  const definition = definitionOf(context, proposal, layer);
  const trial = await tryChecks(context, definition);
  context.print(greenLines(trial, definition));
  await agree(context, proposal, unrunnable(trial, definition, proposal.found));
  const written = await write(context, proposal);
  const lines = proposal.after.trimEnd().split('\n').length;
  context.print([
    `Wrote ${nameOf(proposal)} (${lines} lines) and .pawl/.gitignore.  Nothing was committed.`,
    'Next:  pawl run "make the failing tests pass"',
  ]);
  return answered(context, proposal, { layer, trial, written });
}

/** On a terminal a change of what is there, and a base that cannot run, are asked about. */
async function agree(
  context: Context,
  { before, after }: Proposal,
  refused: RequestError | null,
): Promise<void> {
  if (before !== null) context.print(['', ...diffLines(before, after)]);
  if (!isInteractive(context)) {
    if (refused !== null) throw refused;
    return;
  }
  if (before === null && refused === null) return;
  context.print((problemsOf(refused) ?? []).flatMap((problem) => problemLines(problem, false)));
  const isWanted = await ask(context, {
    text: refused === null ? 'Write this?' : 'Write it all the same?',
    bracket: refused === null ? 'yes' : 'no',
    read: (answer) => {
      if (/^y(?:es)?$/i.test(answer)) return { value: true };
      return /^no?$/i.test(answer) ? { value: false } : 'yes or no';
    },
  });
  if (isWanted) return;
  throw refused ?? new RequestError('no_answer', 'not wanted; nothing was written');
}

/** What is about to be written must be read without a complaint. @throws ConfigError. */
function layerOf(proposal: Proposal): Layer {
  const reading = readLayer(nameOf(proposal), proposal.after, 'project');
  if (reading.ok) return reading.layer;
  throw new ConfigError(reading.problems);
}

const nameOf = ({ path }: Place): string => relative(dirname(path), path);

function definitionOf(context: Context, proposal: Proposal, layer: Layer): Definition {
  const { found, settings, path } = proposal;
  const { checkout } = found;
  const others = settings.layers.filter(({ kind }) => kind !== 'project');
  const [below, above] = [
    others.filter(({ kind }) => kind === 'user'),
    others.filter(({ kind }) => kind !== 'user'),
  ];
  return define([...above, layer, ...below], {
    goal: 'the checks pass',
    name: 'init',
    project: {
      root: checkout.root,
      name: 'init',
      kind: 'user',
      cwd: relative(checkout.root, dirname(path)),
    },
    base: checkout.git ? checkout.head : null,
    baseBranch: checkout.git ? checkout.branch : null,
    includeChanges: false,
    path: context.options.env['PATH'] ?? null,
    environment: context.options.env,
    extraCriteria: [],
  }).definition;
}

async function write(context: Context, { path, after }: Proposal): Promise<readonly string[]> {
  const { io } = context;
  const folder = join(dirname(path), '.pawl');
  const ignore = join(folder, '.gitignore');
  const schema = join(folder, 'pawl.schema.json');
  await io.writeFile(path, after);
  await io.writeFile(schema, `${JSON.stringify(definitionJsonSchema(), null, 2)}\n`);
  const isThere = (await io.readFile(ignore)) !== null;
  if (!isThere) await io.writeFile(ignore, 'pawl.schema.json\n');
  return [path, ...(isThere ? [] : [ignore]), schema];
}

/** With `--print` the file has stdout for itself. */
function say(context: Context, lines: readonly string[]): void {
  if (context.given.has('print')) context.note(lines);
  else context.print(lines);
}

function answered(
  context: Context,
  { found, agents, after }: Proposal,
  end: {
    readonly layer: Layer;
    readonly trial: Trial | null;
    readonly written: readonly string[];
  },
): number {
  if (context.isJson) {
    context.json({
      schema: 'pawl.init/1',
      detected: { ...discoveryJson(found), agents: agentsJson(agents) },
      config: end.layer.value,
      baseline: end.trial === null ? null : baselineJson(end.trial),
      written: end.written,
    });
  } else if (context.given.has('print')) context.print(after.trimEnd().split('\n'));
  return exits.done;
}
