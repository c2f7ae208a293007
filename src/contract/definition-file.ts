/**
 * The schema of `pawl.yaml` and of the user's `config.yaml` (UX §4): every key that this version
 * honours, short and long forms. A key that the specification names and nothing honours yet is in
 * `not-yet.ts` and refused by name. Meaning (defaults, precedence, ceilings, maker ≠ checker) is
 * the business of `define.ts`; durations stay text here, so that the JSON Schema needs no code.
 */

import * as z from 'zod';
import { attemptsMost } from '../kernel/brake-bounds.ts';
import { domains } from '../kernel/profiles.ts';
import { durationPattern, parseDuration } from './duration.ts';
import { environment } from './environment-file.ts';
import { recovery } from './recovery-file.ts';
import { labels, role } from './role-file.ts';

const text = (description: string) => z.string().min(1).describe(description);
const span = (description: string, example: string) =>
  z
    .string()
    .regex(durationPattern, 'a span like 90s, 15m, 8h or 1h30m')
    .describe(description)
    .meta({ examples: [example] });
const globs = (description: string) => z.array(z.string().min(1)).describe(description);

const secondMs = 1_000;

const expectation = z
  .strictObject({
    exit: z
      .int()
      .min(0)
      .max(255)
      .default(0)
      .describe('Exit code that counts as a pass.')
      .optional(),
    testsRun: z
      .string()
      .regex(/^>\d+$/, 'a rule like ">0"')
      .describe('Rule over the number of tests in the report of the runner.')
      .meta({ examples: ['>0'] })
      .optional(),
  })
  .describe('What the check must show besides.');

export const criterionKinds = [
  'test',
  'build',
  'lint',
  'command',
  'fileExists',
  'oracle',
  'observer',
  'manual',
] as const;

const criterion = z
  .strictObject({
    test: text('Command of a test run; exit code 0 passes.').optional(),
    build: text('Command of a build; exit code 0 passes.').optional(),
    lint: text('Command of a linter; exit code 0 passes.').optional(),
    command: text('Any command; exit code 0 passes.').optional(),
    fileExists: text('Path of a file that must exist in the recorded commit.').optional(),
    oracle: text('Statement that a judging agent must find to be true.').optional(),
    observer: text(
      'Statement about visual artifacts that a judging agent must find to be true.',
    ).optional(),
    manual: text('What a human should look at.').optional(),
    timeout: span('Longest time for this criterion. Default 10m.', '15m').optional(),
    expect: expectation.optional(),
    redFirst: z
      .boolean()
      .default(false)
      .describe('True: a test of the change must fail on the base commit.')
      .optional(),
  })
  .describe('One criterion: exactly one kind, and what belongs to it.');

const number = (description: string, max: number) =>
  z.number().positive().max(max).nullable().describe(`${description} null: not braked.`);

const brakes = z
  .strictObject({
    attempts: z
      .int()
      .min(0)
      .max(attemptsMost)
      .nullable()
      .describe('Attempts that may end. Default 5.')
      .optional(),
    cost: number(
      'US dollars, metered or self-reported. Default 20 when metered.',
      1_000_000,
    ).optional(),
    tokens: number('Tokens in and out.', 1e12).optional(),
    steps: z.null().describe('Steps of a plan run; only null yet.').optional(),
    time: span('', '8h')
      .nullable()
      .describe('Active time of the run; waits do not count. Default 8h.')
      .optional(),
    attemptTime: span('Longest time of one attempt. Default 90m.', '90m').optional(),
    waitTime: span('Longest wait for limits. Default 12h.', '12h').optional(),
    errorSignals: z.int().min(1).max(1000).describe('Convergence threshold. Default 3.').optional(),
  })
  .describe('All finite; without this block a run gets the defaults.');

const workspace = z
  .strictObject({
    isolation: z
      .enum(['worktree', 'none'])
      .describe('A tree of its own, or the folder itself.')
      .optional(),
    setup: z
      .strictObject({
        run: text(
          'Command that makes a fresh checkout able to run the criteria; `none` says there is none.',
        ).optional(),
        timeout: span('Longest time of the setup. Default 10m.', '10m').optional(),
      })
      .describe("Run in the worktree and in the verifier's checkout.")
      .optional(),
    copy: globs('Ignored files to bring along; their values are redacted.').optional(),
    submodules: z.enum(['auto', 'on', 'off']).describe('Default auto.').optional(),
  })
  .describe('The tree that the agent works in.');

const variable = z.string().regex(/^\{\w+\}$/, 'a token like {prompt}');
const argv = (description: string) =>
  z.array(z.string().min(1)).min(1).describe(description).optional();
const isThere = (one: readonly string[] | undefined): boolean => one !== undefined;
const ownAgent = z
  .strictObject({
    command: argv(
      'The argv of the agent; tokens like {prompt_content} and {cwd} are replaced, no shell.',
    ),
    acp: argv(
      'The argv of an agent that speaks the Agent Client Protocol, in place of command; the ' +
        'prompt goes over it. What it asks for is allowed: permissions must be trusted.',
    ),
    pty: argv(
      'The argv of an agent that needs a terminal, in place of command: it runs in one of 120 by ' +
        '40. The prompt is typed only where no word has {prompt} or {prompt_content}. It must ' +
        'exit, or leave a result file; permissions must be trusted.',
    ),
    promptVar: variable
      .describe('Token that stands for the prompt file. Default {prompt}.')
      .optional(),
    cwdVar: variable.describe('Token that stands for the work tree. Default {cwd}.').optional(),
    outputVar: variable
      .describe('Token that stands for the result file. Default {output}.')
      .optional(),
  })
  .refine((agent) => [agent.command, agent.acp, agent.pty].filter(isThere).length === 1, {
    error: 'a map with one of command, acp and pty',
  })
  .describe('A command as an agent: one of command, acp and pty.');

const reference = (description: string) =>
  z
    .string()
    .regex(/^(env|file|command):.+/, 'env:, file: or command:')
    .describe(description)
    .optional();

const notify = z
  .strictObject({
    on: z
      .array(z.enum(['needs_operator', 'waiting_human', 'complete', 'limit']))
      .min(1)
      .describe('Of what you are told. Default: all four.')
      .optional(),
    to: z
      .array(
        z.union([
          text('desktop, ntfy:<url>, webhook:<url or env:NAME>, command:<argv>'),
          z
            .strictObject({
              webhook: text('Address, or a CredentialRef to it.'),
              secret: reference('Key of the signature in x-pawl-signature.'),
            })
            .describe('A webhook with a signed body.'),
          z
            .strictObject({
              ntfy: text('Address of the topic.'),
              token: reference('Access token.'),
            })
            .describe('A topic of an ntfy server.'),
        ]),
      )
      .min(1)
      .max(8)
      .describe('Where you are told.'),
  })
  .describe('Who is told when a run needs somebody, ends, or waits for a limit.');

const shape = {
  version: z.literal(1).describe('Version of this format.').optional(),
  goal: text('What is wanted; usually given on the command line.').optional(),
  agent: text('Short for roles.execute.agent; `name:model` names a model too.')
    .regex(/^[^:]+(?::.+)?$/, 'a name, or name:model')
    .optional(),
  setup: text('Short for workspace.setup.run.').optional(),
  check: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .describe('Short for criteria: one test command or a list of them.')
    .optional(),
  context: globs('Files every attempt is pointed to.').optional(),
  domain: z
    .enum(domains)
    .describe(
      'What the work is about; picks the profiles that roles do not name: code fixer + oracle, ' +
        'ui designer + observer, research explorer + oracle, docs librarian + oracle.',
    )
    .optional(),
  artifacts: globs(
    'Files that the agent makes to be looked at. After each attempt they are attested, announced ' +
      'and named to an observer; pawl neither adds them to the branch nor removes them.',
  )
    .max(20)
    .optional(),
  strategy: z.literal('attempts').describe('Attempts of the whole goal, each verified.').optional(),
  roles: z
    .strictObject({
      execute: role('Who does the work.').optional(),
      verify: role('Who judges oracle and observer criteria.').optional(),
    })
    .describe('Maker ≠ checker: checked at load and at every gate.')
    .optional(),
  labels: labels('Labels that a worker must have to do any job of the run.').optional(),
  agents: z
    .record(z.string().regex(/^[\w.-]+$/, 'letters, digits, _, . and -'), ownAgent)
    .describe('Commands as agents, by name.')
    .optional(),
  criteria: z
    .array(criterion)
    .min(1)
    .max(50)
    .describe('In order, cheapest first; all must pass.')
    .optional(),
  baseline: z
    .enum(['auto', 'green-ok', 'skip'])
    .describe('The criteria on the base commit. Default auto.')
    .optional(),
  allowNoChange: z
    .boolean()
    .describe('A pass over an unchanged tree counts. Default false.')
    .optional(),
  protected: globs('Paths whose change is named and stops the run.').optional(),
  onProtected: z.enum(['park', 'ask', 'restore']).describe('Default park.').optional(),
  fileScope: globs('Writes outside are drift. Default: everything is in scope.').optional(),
  brakes: brakes.optional(),
  workspace: workspace.optional(),
  verify: z
    .strictObject({
      tree: z
        .enum(['clean', 'lane'])
        .describe("A clean check tree, or the lane's own. Default clean.")
        .optional(),
      on: z
        .enum(['any', 'other-worker'])
        .describe(
          'other-worker: the machine that made the work does not verify it; when no other comes ' +
            'within brakes.waitTime the run is parked. Default any.',
        )
        .optional(),
    })
    .describe('Where the criteria are run.')
    .optional(),
  permissions: z
    .enum(['workspace', 'trusted', 'ask'])
    .describe(
      'What the agent may do without asking. workspace: edits, and commands inside its own sandbox. ' +
        'trusted: everything, as you. ask: nothing that changes anything; you approve each command.',
    )
    .optional(),
  onPermission: z
    .enum(['deny', 'ask', 'stop'])
    .describe(
      'What the agent asks for beyond that. deny: it is told no and goes on; the same request ' +
        'twice parks the run. stop: the first one parks it. ask: it waits while you decide, also at ' +
        'night. Default deny; with permissions: ask, ask.',
    )
    .optional(),
  onLimit: z.enum(['wait', 'stop', 'ask']).describe('Default wait.').optional(),
  models: z
    .enum(['auto', 'inject', 'pass', 'direct'])
    .describe(
      'How calls of models go. auto: through the models door with login: key, else direct. pass: ' +
        "through it with the agent's own authorisation, which some vendors' terms restrict.",
    )
    .optional(),
  agentConfig: z
    .enum(['clean', 'user'])
    .describe(
      'Your own servers of tools, hooks and skills of an agent: clean keeps them out, user uses them. ' +
        'Default clean.',
    )
    .optional(),
  env: environment.optional(),
  secrets: z
    .record(
      z.string().regex(/^\w+$/, 'letters, digits and _'),
      z.string().regex(/^(env|file|command):.+/, 'env:, file: or command:'),
    )
    .describe('Name to CredentialRef; values are never stored.')
    .optional(),
  recovery: recovery.optional(),
  concurrency: z
    .strictObject({
      group: text('Runs with the same group share the slots.').optional(),
      max: z.int().min(1).max(64).describe('Runs at once. Default 3.').optional(),
    })
    .describe('Further runs wait: no_capacity.')
    .optional(),
  land: z
    .strictObject({
      method: z.enum(['squash', 'merge', 'ff']).describe('Default squash.').optional(),
      reverify: z.boolean().describe('The criteria on the merged tree. Default true.').optional(),
      when: z.literal('asked').describe('Only a human lands.').optional(),
    })
    .describe('How `pawl land` works.')
    .optional(),
  nestedRuns: z
    .int()
    .min(0)
    .max(20)
    .describe('Runs that a lane of this run may start. Default 0.')
    .optional(),
  keepAwake: z
    .boolean()
    .describe('The machine is kept awake while runs are active, where it can be. Default true.')
    .optional(),
  liveness: z
    .strictObject({
      idle: span('Silence before a lane is called stalled.', '5m')
        .nullable()
        .describe('null: 2m with the models door, 10m without.')
        .optional(),
      toolCall: span('A call of a tool is shown as overdue after this.', '3m').optional(),
      toolProgress: span(
        'A tool without CPU, output or file is stuck after this.',
        '10m',
      ).optional(),
    })
    .describe('When a lane is called quiet, overdue, stalled. It ends nothing.')
    .optional(),
  notify: notify.optional(),
  approvals: z
    .strictObject({
      expire: span('A gate expires after this.', '1h')
        .refine((value) => (parseDuration(value) ?? secondMs) >= secondMs, 'a span of at least 1s')
        .nullable()
        .describe('null: never by itself.')
        .optional(),
    })
    .describe('Human gates.')
    .optional(),
};

export const definitionFile = z.strictObject(shape).describe('A run of pawl, as in pawl.yaml.');

const dayBudget = z.strictObject({
  cost: z.number().positive().max(1e6).describe('USD, where the cost is known.').optional(),
  tokens: z.int().positive().describe('Tokens of every kind.').optional(),
  time: span('Active time of the runs, added up.', '24h').optional(),
});

export const userConfigFile = z
  .strictObject({
    ...shape,
    ceilings: brakes.partial().describe('Caps every lower level.').optional(),
    budgets: z
      .strictObject({
        day: dayBudget.describe('What all runs together may spend in one day.').optional(),
        project: dayBudget
          .describe('What the runs of one project together may spend in one day.')
          .optional(),
      })
      .describe('Budgets over runs; a spent one parks what would start a further turn.')
      .optional(),
  })
  .describe("The user's config.yaml: defaults below every pawl.yaml, and ceilings above them.");

export type DefinitionFile = z.infer<typeof definitionFile>;
export type UserConfigFile = z.infer<typeof userConfigFile>;
export type CriterionFile = z.infer<typeof criterion>;
