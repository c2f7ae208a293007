/** What a run waits for a human with, in the words that all pages share. */
import type { RunView } from '../ports/client.ts';
import { firstLine } from './text.ts';
import { laneOf } from './wire.ts';

type Gate = NonNullable<RunView['gate']>;
export type PermissionGate = Extract<Gate, { kind: 'permission' }>;

/** One line. */
export function gateWords(view: RunView): string {
  const { gate } = view;
  switch (gate?.kind) {
    case 'manual':
      return firstLine(gate.look);
    case 'protected':
      return `protected: ${gate.paths.join(', ')}`;
    case 'permission':
      return `${agentOf(view)} asks for leave: ${firstLine(gate.ask.title)}`;
    default:
      return '';
  }
}

export const agentOf = ({ maker }: RunView): string => laneOf(maker).agent;

/** `7k2m.a3`: what `approve` and `reject` take as well as the run. */
export const shortApproval = ({ short }: RunView, approval: Gate['approval']): string =>
  `${short}${approval.slice(approval.lastIndexOf('.'))}`;

/** What a yes is bound to: the beginnings of the three digests. */
export function boundWords({ ask }: PermissionGate, definition: string): string {
  const policy = definition.slice(definition.indexOf(':') + 1);
  const parts = [
    `args ${begun(ask.args)}`,
    `tool definition ${begun(ask.definition)}`,
    `policy ${begun(policy)}`,
  ];
  return `${parts.join(', ')}  (a changed call asks again)`;
}

const begun = (digest: string): string => `${digest.slice(0, 8)}…`;
