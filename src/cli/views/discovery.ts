/** The facts that stand above the first question (UX 1.2): what was found, and from where. */
import type { InstalledAgent, KnownAgent } from '../../ports/detection.ts';
import type { Checkout } from '../../ports/workspace.ts';
import type { Discovery } from '../discovery.ts';
import { plural, short } from '../format.ts';
import { clean, padTo, widthOf, wrap } from '../text.ts';

const labelWidth = 17;

export function discoveryLines(found: Discovery, columns: number): readonly string[] {
  const { detected, leftBehind } = found;
  const { packageManager, setup, cwd, checks, notes } = detected;
  const row = (label: string, text: string): string[] => factRow(label, text, columns);
  return [
    ...wrap(`Looking at ${found.checkout.root} (${checkoutWords(found.checkout)})`, columns, '  '),
    ...(cwd === null || cwd === '' ? [] : row('folder', cwd)),
    ...(packageManager === null
      ? []
      : row('package manager', `${padTo(packageManager.name, 14)} from ${packageManager.from}`)),
    ...row('setup', setup === null ? 'none found' : clean(setup.command)),
    ...checkRows(checks, columns),
    ...leftBehind.flatMap((path) =>
      row('left behind', `${path} is ignored by git (workspace.copy brings it along)`),
    ),
    ...notes.flatMap((note) => row('note', clean(note))),
  ];
}

function checkRows(checks: Discovery['detected']['checks'], columns: number): string[] {
  if (checks.length === 0) return factRow('checks found', 'none', columns);
  const width = Math.max(15, ...checks.map(({ command }) => command.length));
  return checks.flatMap(({ command, from, instead }, index) => {
    const origin = instead === null ? from : `${from} watches: "${clean(instead)}"`;
    const label = padTo(index === 0 ? 'checks found' : '', labelWidth);
    const left = `  ${label}${index + 1} `;
    const line = `${left}${padTo(clean(command), width)}  (${origin})`;
    if (widthOf(line) <= columns) return [line];
    const room = Math.max(20, columns - left.length);
    const below = [...wrap(clean(command), room), ...wrap(`(${origin})`, room)];
    return below.map((part, i) => (i === 0 ? left : ' '.repeat(left.length)) + part);
  });
}

function checkoutWords(checkout: Checkout): string {
  if (!checkout.git) return 'not a git repository';
  if (checkout.head === null) return 'git, no commit yet';
  const dirty = checkout.dirty.length;
  const state = dirty === 0 ? 'clean' : plural(dirty, 'changed file');
  return `git, ${checkout.branch ?? 'HEAD'}@${short(checkout.head)}, ${state}`;
}

export function agentLines(agents: readonly InstalledAgent[], columns: number): readonly string[] {
  return factRow('agents found', agentsWords(agents), columns);
}

export function agentsWords(agents: readonly InstalledAgent[]): string {
  if (agents.length === 0) return 'none';
  return agents
    .map(({ agent, version, login }) => `${agent.name} ${version ?? '–'} (logged in: ${login})`)
    .join(' · ');
}

/** How each known agent is installed, for a machine that has none (UX 1.5). */
export function installLines(known: readonly KnownAgent[]): readonly string[] {
  const width = Math.max(...known.map(({ name }) => name.length));
  return known.map(({ name, install }) => `${padTo(name, width)}  ${install}`);
}

function factRow(label: string, text: string, columns: number): string[] {
  const room = Math.max(20, columns - labelWidth - 2);
  return wrap(text, room).map(
    (line, index) => `  ${padTo(index === 0 ? label : '', labelWidth)}${line}`,
  );
}
