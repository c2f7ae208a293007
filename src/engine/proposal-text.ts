/** What a pull request says of the work: the goal, what was verified, and the signed receipt. */
import type { Definition } from '../domain/definition/definition.ts';
import type { RunView } from '../ports/client.ts';
import { clip } from './prompt.ts';

const titleMax = 72;
const goalMax = 4_000;
/** GitHub takes 65,536 characters. */
const receiptMax = 50_000;

export interface ProposalFacts {
  readonly run: RunView;
  readonly definition: Definition;
  /** First line: the title; the rest: the beginning of the text. Null: the goal. */
  readonly message: string | null;
  /** The signed envelope; null where there is none or it was pruned. */
  readonly receipt: string | null;
  /** What judged the result of merging it now. */
  readonly merged: { readonly into: string; readonly reverified: boolean; readonly moved: number };
}

export function proposalText(facts: ProposalFacts): {
  readonly title: string;
  readonly body: string;
} {
  const { run, definition, message } = facts;
  const [first = '', ...rest] = (message ?? definition.intent.originalIntent).trim().split('\n');
  const told = message === null ? clip(definition.intent.originalIntent, goalMax) : rest.join('\n');
  const parts = [
    told.trim(),
    `## Verification\n\n${verification(facts).join('\n')}`,
    `Made by pawl, run \`${run.id}\` (${run.name}).`,
    envelope(facts.receipt),
  ];
  const body = parts.filter((part) => part !== '').join('\n\n');
  return { title: clip(first, titleMax), body: `${body}\n` };
}

function verification({ run, definition, merged }: ProposalFacts): readonly string[] {
  const checks = definition.criteria.flatMap((criterion) =>
    'command' in criterion ? [`\`${criterion.command}\``] : [],
  );
  const by =
    run.verification === 'overridden'
      ? 'Not verified: a human took it as it is.'
      : `Passed in a clean checkout of \`${run.head ?? ''}\`, judged by the runtime, not the agent.`;
  const target = merged.moved === 0 ? merged.into : `${merged.into} (it had moved)`;
  return [
    `- ${by}`,
    ...(checks.length === 0 ? [] : [`- Checks: ${checks.join(', ')}`]),
    `- ${run.attempts.at(-1)?.summary ?? 'no attempt is recorded'}`,
    `- Merged into ${target}: ${merged.reverified ? 'verified again' : 'not verified again'}.`,
  ];
}

function envelope(receipt: string | null): string {
  if (receipt === null) return '';
  if (receipt.length > receiptMax) return 'The signed receipt is too long to stand here.';
  const head = '<details><summary>Signed receipt</summary>';
  return `${head}\n\nSave it as r.json; \`pawl artifact verify r.json\` checks it.\n\n\`\`\`json\n${receipt.trim()}\n\`\`\`\n</details>`;
}
