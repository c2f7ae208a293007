/** `pawl`, `pawl --help` and `pawl <command> --help`. */
import type { Command } from './command.ts';
import { commandRows, type Group } from './commands.ts';
import { type FlagSpec, globalFlags } from './parse.ts';
import { topics } from './topics.ts';

const groups: readonly Group[] = ['Start', 'Look', 'Decide (operator)', 'Steer', 'Set up'];

export function overview(): readonly string[] {
  const rows = groups.flatMap((group) => [
    '',
    group,
    ...commandRows
      .filter((row) => row.group === group)
      .map(({ name, says }) => `  ${name.padEnd(16)} ${says}`),
  ]);
  return [
    'pawl runs an agent until an independent check passes, and tells the truth about it.',
    ...rows,
    '',
    'Examples',
    `  pawl demo`,
    `  pawl run "make the date tests pass" --check "npm test" --agent-cmd "my-agent {prompt}"`,
    `  pawl status`,
    '',
    `pawl <command> --help   ·   pawl help exit-codes | states | config | environment`,
  ];
}

/** The commands of one first word: `db status`, `db migrate`, … */
export function familyHelp(verb: string): readonly string[] {
  const rows = familyOf(verb).map(({ name, says }) => `  pawl ${name.padEnd(18)} ${says}`);
  return [`pawl ${verb}: one of`, ...rows, '', `pawl ${verb} <command> --help explains one`];
}

const familyOf = (verb: string) => commandRows.filter(({ name }) => name.startsWith(`${verb} `));

/** The same for programs; of one first word only, where one is given. */
export function overviewJson(verb?: string): Readonly<Record<string, unknown>> {
  const rows = verb === undefined ? commandRows : familyOf(verb);
  const commands = rows.map(({ name, group, says }) => ({ name, group, says }));
  return { schema: 'pawl.help/1', commands, topics: [...topics.keys()] };
}

const honoured = (flags: readonly FlagSpec[]): readonly FlagSpec[] =>
  flags.filter(({ later }) => later === undefined);

export function commandHelpJson(command: Command): Readonly<Record<string, unknown>> {
  const { name, summary, arguments: form, examples } = command;
  const flags = honoured(command.flags);
  const usage = `pawl ${name} ${form.usage}`.trimEnd();
  const everywhere = honoured(globalFlags);
  return { schema: 'pawl.help/1', command: name, usage, summary, flags, everywhere, examples };
}

export function commandHelp(command: Command): readonly string[] {
  const own = honoured(command.flags);
  const global = honoured(globalFlags);
  return [
    `pawl ${command.name} ${command.arguments.usage}`.trimEnd(),
    `  ${command.summary}`,
    ...(own.length === 0 ? [] : ['', 'Flags', ...own.map(flagLine)]),
    '',
    'Everywhere',
    ...global.map(flagLine),
    ...(command.examples.length === 0
      ? []
      : ['', 'Examples', ...command.examples.map((line) => `  ${line}`)]),
  ];
}

function flagLine(flag: FlagSpec): string {
  const dashes = flag.short === undefined ? `    --${flag.name}` : `-${flag.short}, --${flag.name}`;
  const value = flag.oneOf?.join('|') ?? (flag.value === undefined ? '' : `<${flag.value}>`);
  const left = `${dashes} ${value}${flag.kind === 'list' ? '…' : ''}`;
  return `  ${left.padEnd(34)} ${flag.says}`;
}
