/** What a run waits for a human with: the work, what the checks said, and the two answers. */
import { quotePath } from '../../kernel/text.ts';
import type { RunView } from '../../ports/client.ts';
import { shortSpan } from '../format.ts';
import { stepsFor } from '../next.ts';
import { cut, firstLine, headed, padTo } from '../text.ts';
import { changedWords, resultWords } from './final.ts';
import { labelled } from './page.ts';
import { expiryWords, permissionLines } from './permission-gate.ts';
import type { Waiting } from './waiting-page.ts';
import { warningRows } from './warnings.ts';

export function gateLines(page: Waiting): string[] {
  const { view, columns, now } = page;
  if (view.gate?.kind === 'permission') return permissionLines(page, view.gate);
  const row = (label: string, text: string): string[] => labelled(label, text, columns);
  const asked = view.gate?.askedAt ?? view.updatedAt;
  const expires = expiryWords(view.gate ?? { expiresAt: null }, now);
  const results = page.verdicts.flatMap(({ criteria }) => criteria);
  const checks =
    results.length === 0
      ? ['no check of this run can say it']
      : results.map((result) => resultWords(result));
  const steps = stepsFor(view, page.called);
  const width = Math.max(0, ...steps.map(({ command }) => command.length));
  return [
    ...headed(
      `? waiting for you   ${view.name} ${view.short} · ${page.definition.project.name}`,
      `waiting ${shortSpan(now - asked)}, ${expires}`,
      columns,
      12,
    ),
    ...row('goal', firstLine(page.definition.intent.originalIntent)),
    ...askRows(view).flatMap(([label, text]) => row(label, text)),
    ...checks.flatMap((text, i) => row(i === 0 ? 'checks' : '', text)),
    ...(page.changed === null ? [] : row('changed', changedWords(page.changed))),
    ...warningRows(view, page.story).flatMap(([label, text]) => row(label, text)),
    '',
    ...steps.map(({ command, effect }, i) =>
      cut(`  ${padTo(i === 0 ? 'next' : '', 10)}${padTo(command, width)}   ${effect}`, columns),
    ),
  ];
}

function askRows({ gate }: RunView): (readonly [string, string])[] {
  if (gate === null || gate.kind === 'permission') return [];
  if (gate.kind === 'manual') return [['look at', firstLine(gate.look)]];
  return gate.paths
    .slice(0, 10)
    .map((path, i) => [i === 0 ? 'protected' : '', quotePath(path)] as const);
}
