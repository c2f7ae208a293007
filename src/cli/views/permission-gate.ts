/** What a lane asks leave for, on a page and as a card (UX 5.3). */
import type { RunView } from '../../ports/client.ts';
import { shortSpan } from '../format.ts';
import { agentOf, boundWords, type PermissionGate, shortApproval } from '../gate-words.ts';
import { stepsFor } from '../next.ts';
import { clean, cut, firstLine, headed, padTo } from '../text.ts';
import { labelled } from './page.ts';
import type { Waiting } from './waiting-page.ts';

export function permissionLines(page: Waiting, gate: PermissionGate): string[] {
  const { view, columns, now, called } = page;
  const row = (label: string, text: string): string[] => labelled(label, text, columns);
  const id = shortApproval(view, gate.approval);
  const waited = `waiting ${shortSpan(now - gate.askedAt)}, ${expiryWords(gate, now)}`;
  const steps = stepsFor(view, called);
  const width = Math.max(0, ...steps.map(({ command }) => command.length));
  return [
    ...headed(
      `? approval ${id} · ${view.name} ${view.short} · ${agentOf(view)} wants to call a tool`,
      waited,
      columns,
      12,
    ),
    ...row('goal', firstLine(page.definition.intent.originalIntent)),
    ...row('tool', clean(gate.ask.tool ?? 'it did not say which')),
    ...row('call', clean(gate.ask.title)),
    ...row('policy', policyWords(page.definition)),
    ...row('bound to', boundWords(gate, view.definition ?? '')),
    '',
    ...steps.map(({ command, effect }, i) =>
      cut(`  ${padTo(i === 0 ? 'next' : '', 10)}${padTo(command, width)}   ${effect}`, columns),
    ),
  ];
}

export const expiryWords = ({ expiresAt }: { readonly expiresAt: number | null }, now: number) =>
  expiresAt === null ? 'no expiry' : `expires in ${shortSpan(Math.max(0, expiresAt - now))}`;

const policyWords = ({ permissions, onPermission }: Waiting['definition']): string =>
  `permissions: ${permissions}, onPermission: ${onPermission ?? 'deny'}`;

/** Keys of the card; none is the default. */
export const permissionKeys: readonly (readonly [string, string])[] = [
  ['y', 'approve once'],
  ['r', 'approve this exact call for the run'],
  ['n', 'reject with a note'],
  ['v', 'view'],
  ['s', 'skip'],
  ['q', 'quit'],
];

/** All that is known of the call. */
export function wholeCall({ ask, execution }: PermissionGate, view: RunView): readonly string[] {
  return [
    clean(ask.title),
    `tool             ${clean(ask.tool ?? 'not told')}`,
    `execution        ${execution}`,
    `args             ${ask.args}`,
    `tool definition  ${ask.definition}`,
    `policy           ${view.definition ?? 'not known'}`,
  ];
}
