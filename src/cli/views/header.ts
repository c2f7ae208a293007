/** What a run is, before anything happens: the head of the live view (UX 3.1). */
import { driverOf } from '../../contract/known-agents.ts';
import type { RunView } from '../../ports/client.ts';
import { workBranch } from '../../ports/tree-name.ts';
import type { Criterion, Definition } from '../../ports/words.ts';
import { plural, short, shortSpan, words } from '../format.ts';
import { clean, firstLine } from '../text.ts';
import { laneOf } from '../wire.ts';
import { labelled } from './page.ts';

export function headerLines(
  view: RunView,
  definition: Definition,
  notes: readonly string[],
  columns: number,
): string[] {
  const row = (label: string, text: string): string[] =>
    labelled(label, text, columns).map((line) => line.slice(2));
  return [
    ...row(
      'run',
      `${view.name} ${view.short} · ${agentWords(view, definition)} · ${sourceWords(view, definition)}`,
    ),
    ...row('goal', firstLine(definition.intent.originalIntent)),
    ...row('checks', checksWords(view, definition)),
    ...row('brakes', brakesWords(view, definition)),
    ...notes.flatMap((note) => row('note', note)),
    '',
  ];
}

/** Whoever comes back later sees what the checks said before anything was done. */
function checksWords({ baseline }: RunView, definition: Definition): string {
  const checks = definition.criteria.map(criterionWords).join(' · ');
  if (baseline === null) return checks;
  return `${checks}       baseline: ${firstLine(baseline.summary) || words(baseline.outcome)}`;
}

function agentWords(view: RunView, definition: Definition): string {
  if (view.dryRun === true) return 'dry run: a scripted lane, and nothing is verified';
  const { agent, model } = laneOf(view.maker);
  const how = driverOf(definition.roles.execute);
  return `${agent}${model === null ? '' : `:${model}`} (${how})`;
}

export const withoutGit = 'no git: no branch, no undo, no drift check';

function sourceWords(view: RunView, definition: Definition): string {
  const { base, baseBranch, isolation } = definition.source;
  if (base === null) return withoutGit;
  const from = `base ${baseBranch === null ? '' : `${baseBranch}@`}${short(base)}`;
  if (view.dryRun === true) return `${from} · no branch`;
  const to = view.branch ?? workBranch(view.name, view.id);
  const carried = definition.source.includeChanges ? ' with your changes' : '';
  return isolation === 'none' ? `${from}, in your checkout` : `${from}${carried} → ${to}`;
}

export function criterionWords(criterion: Criterion): string {
  switch (criterion.kind) {
    case 'fileExists':
      return `${clean(criterion.path)} exists`;
    case 'oracle':
    case 'observer':
      return `${criterion.kind}: ${firstLine(criterion.question)}`;
    case 'manual':
      return `manual: ${firstLine(criterion.look)}`;
    default:
      return firstLine(criterion.command);
  }
}

/** What is granted by now: a resume widens what the definition began with. */
function brakesWords({ granted }: RunView, definition: Definition): string {
  const { onLimit, permissions, source } = definition;
  const { attempts, timeMs, costUsd, tokens } = granted;
  const parts = [
    attempts === null ? 'no cap on attempts' : plural(attempts, 'attempt'),
    timeMs === null ? 'no cap on time' : `${shortSpan(timeMs)} active`,
    costUsd === null ? 'cost not braked' : `$${costUsd.toFixed(2)}`,
    ...(tokens === null ? [] : [`${tokens} tokens`]),
    `limit: ${onLimit}`,
  ];
  const tree = source.isolation === 'worktree' ? 'worktree' : 'no isolation';
  const how = [permissions, tree, ...configWords(definition)].join(' · ');
  return `${parts.join(' · ')}      ${how}`;
}

/** What a command of the user's own loads is its own affair. */
const configWords = ({ roles, agentConfig = 'clean' }: Definition): readonly string[] =>
  roles.execute.command === null ? [`agentConfig ${agentConfig}`] : [];
