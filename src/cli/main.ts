/**
 * The command line. `runCli` never throws and never exits: it answers with the exit code, after
 * everything that it opened is closed. A bug is reported to a file that is named, exit 70.
 */
import { RequestError } from '../kernel/errors.ts';
import { calledAs, typedAs } from './called.ts';
import { answer, type Command, type Context } from './command.ts';
import {
  commandRows,
  everyCommand,
  findCommand,
  foreignWords,
  nearestCommand,
} from './commands.ts';
import type { CliOptions } from './composition.ts';
import { openSession } from './context.ts';
import { exits } from './exit.ts';
import { harmless } from './harmless.ts';
import { laterCommands } from './later-commands.ts';
import { commandHelp, commandHelpJson, familyHelp, overview, overviewJson } from './overview.ts';
import { parse, usage } from './parse.ts';
import { type Problem, problemJson, problemLines, problemsOf } from './problem.ts';
import { mustWorkThere } from './server.ts';
import { paint, styleOf } from './style.ts';
import { verbs } from './verbs.ts';

type Reporting = Pick<CliOptions, 'argv' | 'io' | 'env' | 'called' | 'reportBug'>;

export async function runCli(options: CliOptions): Promise<number> {
  try {
    return await dispatch(options);
  } catch (error: unknown) {
    return await reportError(options, error);
  }
}

async function dispatch(options: CliOptions): Promise<number> {
  const { argv } = options;
  const at = commandIndex(argv);
  const first = argv[at];
  if (first === undefined) return withoutCommand(options);
  const foreign = foreignWords.get(first);
  if (foreign !== undefined) {
    throw new RequestError('unknown_command', `pawl has no "${first}": ${foreign.says}`, {
      next: foreign.next,
    });
  }
  const later = laterCommands.get(first);
  if (later !== undefined) {
    throw new RequestError('unknown_command', `"${first}" is not in this version: ${later.says}`, {
      next: later.next,
    });
  }
  const found = await findCommand(argv.slice(at));
  if (found === null) {
    const isAsked = verbs.includes(first) && argv.includes('--help');
    if (isAsked) return explainFamily(options, first);
    throw unknownCommand(first, argv[at + 1] ?? '');
  }
  const rest = [...argv.slice(0, at), ...argv.slice(at + found.used)];
  return execute(options, found.command, rest);
}

async function execute(
  options: CliOptions,
  command: Command,
  argv: readonly string[],
): Promise<number> {
  const given = parse(command.name, argv, command.flags);
  if (!given.has('help')) mustWorkThere(options, command, given);
  const session = openSession(options, given, everyCommand);
  try {
    if (given.has('help')) return explain(session.context, command);
    if (given.has('version')) return printVersion(options);
    checkArguments(command, given.words.length, given.rest.length);
    return await command.run(session.context);
  } finally {
    await session.close();
  }
}

function checkArguments(command: Command, words: number, rest: number): void {
  const { min, max, usage: form } = command.arguments;
  const isWrong = words < min || words > max || (rest > 0 && command.arguments.rest !== true);
  if (isWrong) throw usage(command.name, `usage: pawl ${command.name} ${form}`.trimEnd());
}

function explain(context: Context, command: Command): number {
  const lines = commandHelp(command).map((line) => calledAs(line, context.called));
  answer(context, lines, commandHelpJson(command));
  return exits.done;
}

function explainFamily(options: CliOptions, verb: string): number {
  const given = parse(verb, options.argv, []);
  return show(options, familyHelp(verb), overviewJson(verb), given.text('color'));
}

function withoutCommand(options: CliOptions): number {
  const given = parse('', options.argv, []);
  if (given.has('version')) return printVersion(options);
  return show(options, overview(), overviewJson(), given.text('color'));
}

/** Help that belongs to no command. */
function show(
  { argv, called, env, io }: CliOptions,
  lines: readonly string[],
  json: Readonly<Record<string, unknown>>,
  color: string | null,
): number {
  if (argv.includes('--json')) {
    io.stdout.write(`${JSON.stringify(json)}\n`);
    return exits.done;
  }
  const style = styleOf(io, env, color ?? 'auto');
  for (const line of lines) io.stdout.write(`${paint(calledAs(line, called), style)}\n`);
  return exits.done;
}

function printVersion(options: CliOptions): number {
  const { argv, version } = options;
  const isJson = argv.includes('--json');
  const said = isJson ? JSON.stringify({ schema: 'pawl.version/1', version }) : version;
  options.io.stdout.write(`${said}\n`);
  return exits.done;
}

/** The first word that is neither a flag nor the value of one: global flags may come first. */
function commandIndex(argv: readonly string[]): number {
  const takesValue = new Set(['-C', '--project', '--color', '--server']);
  let at = 0;
  while (at < argv.length && argv[at]?.startsWith('-') === true) {
    at += takesValue.has(argv[at] ?? '') ? 2 : 1;
  }
  return at;
}

function unknownCommand(typed: string, then: string): RequestError {
  const near = nearestCommand(typed, then);
  const words = verbs.includes(typed) ? `${typed} ${then}`.trimEnd() : typed;
  return new RequestError('unknown_command', `"${words}" is not a command of pawl`, {
    next: `${near === null ? '' : `did you mean:  pawl ${near}     `}pawl --help`,
  });
}

/** What is left to do when a command failed, in its own form. Also for who never got to run one. */
export async function reportError(options: Reporting, error: unknown): Promise<number> {
  const isJson = options.argv.includes('--json');
  const known = problemsOf(error)?.map((problem) => helped(problem, options));
  const problems = known ?? [await bugOf(options, error)];
  const exit = problems[0]?.exit ?? exits.bug;
  if (isJson) {
    options.io.stdout.write(`${JSON.stringify(problemJson(problems, exit))}\n`);
    return exit;
  }
  const isVerbose = options.argv.some((word) => word === '-v' || word === '--verbose');
  const style = styleOf(options.io, options.env, 'never');
  for (const line of problems.flatMap((problem) => problemLines(problem, isVerbose))) {
    options.io.stderr.write(`${paint(calledAs(harmless(line), options.called), style)}\n`);
  }
  return exit;
}

/** What the registry leaves open, filled in with what was typed: `pawl <command> --help`. */
function helped(problem: Problem, options: Reporting): Problem {
  const { argv } = options;
  // The operator is to do what was asked for, and not the same verb on something else.
  if (problem.code === 'human_required') {
    return { ...problem, next: `ask the operator to run:  ${typedAs(options)}` };
  }
  const words = argv.slice(commandIndex(argv)).join(' ');
  const row = commandRows.find(({ name }) => words === name || words.startsWith(`${name} `));
  const isInFile = /\.(?:ya?ml|json)(?::|$)/.test(problem.where ?? '');
  const typed = isInFile
    ? 'pawl config check'
    : `pawl ${row === undefined ? '' : `${row.name} `}--help`;
  return { ...problem, next: problem.next.replace('pawl <command> --help', typed) };
}

async function bugOf(options: Reporting, error: unknown): Promise<Problem> {
  const path = await options.reportBug(error);
  return {
    code: 'internal_error',
    what: error instanceof Error ? error.message : String(error),
    where: null,
    so: 'this is a bug of pawl; your runs and their work are not touched by it',
    found: `report: ${path}`,
    allowed: null,
    next: `look at the report, and send it where you got pawl from   ·   ${options.called} status`,
    exit: exits.bug,
    facts: { report: path },
    cause: null,
  };
}
