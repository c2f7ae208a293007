/** What a council says of a parked run: each opinion in full, or shortly under its page. Pure. */
import type { CouncilStory } from '../../ports/council-story.ts';
import { span } from '../format.ts';
import type { Said } from '../opinions.ts';
import { clean, wrap } from '../text.ts';
import { labelled } from './page.ts';

export interface OpinionPage {
  readonly council: CouncilStory;
  readonly now: number;
  readonly called: string;
  readonly columns: number;
}

/** With everything that it says. */
export function opinionLines(said: Said, page: OpinionPage): string[] {
  const sign = said.opinion.outcome === 'given' ? '✓' : '✗';
  const head = wrap(`${sign} ${headOf(said, page)}`, page.columns, '  ');
  return [...head, ...textOf(said, page.columns - 2).map((line) => `  ${line}`.trimEnd())];
}

const shortMax = 6;

/** Under the page of its run. */
export function shortOpinions(all: readonly Said[], page: OpinionPage): string[] {
  const row = (text: string) => labelled('', text, page.columns);
  const rows = all.flatMap((said) => {
    const lines = textOf(said, page.columns - 12);
    const isLong = lines.length > shortMax;
    const { text } = said.opinion;
    return [
      ...row(headOf(said, page)),
      ...lines.slice(0, shortMax).flatMap((line) => (line === '' ? [] : row(`  ${line}`))),
      ...(isLong ? row(`  … in full: ${page.called} artifact get ${text}`) : []),
    ];
  });
  const [first = '', ...rest] = rows;
  return all.length === 0 ? [] : ['', first.replace(/^ {10}/, '  opinions'), ...rest];
}

function headOf({ opinion, text }: Said, { council, now }: OpinionPage): string {
  const { profile, outcome, detail, askedAt, endedAt } = opinion;
  const who = `${profile} · ${council.agent} (roles.${council.role})`;
  const time = span((endedAt ?? now) - askedAt);
  if (outcome === 'open') return `${who} · asked ${time} ago`;
  if (outcome === 'given') return `${who} · ${time}${text === null ? ' · pruned' : ''}`;
  return `${who} · ${time} · ${outcome}: ${clean(detail)}`;
}

const textOf = ({ text }: Said, columns: number): readonly string[] =>
  text === null ? [] : text.split('\n').flatMap((line) => wrap(clean(line), Math.max(10, columns)));
