/** What must not be overlooked on any page of a run, however well it ended. Pure. */
import { quotePath } from '../../kernel/text.ts';
import type { RunView } from '../../ports/client.ts';
import type { Story } from '../../ports/story.ts';
import type { Finding } from '../../ports/words.ts';
import { plural, words } from '../format.ts';
import { clean } from '../text.ts';
import { lackingWords } from './artifacts.ts';

export type Row = readonly [label: string, text: string];

const pathsMax = 5;
const refsMax = 10;

/** Kinds that stop a run are told by the page of its stop. */
const told: readonly Finding['kind'][] = ['drift', 'protected'];

export function warningRows(view: RunView, story: Story): Row[] {
  const rows: Row[] = findingRows(story);
  const lacking = story.artifacts === null ? [] : lackingWords(story.artifacts);
  rows.push(...lacking.map((text, i): Row => [i === 0 ? 'artifacts' : '', text]));
  if (view.unproven.length > 0) {
    rows.push(['unproven', `nobody could prove the end of ${view.unproven.join(', ')}`]);
  }
  if (view.refusedGates > 0) {
    rows.push([
      'refused',
      `${plural(view.refusedGates, 'gate verb')} by something that is no human`,
    ]);
  }
  if (view.ancestryUnknown.length > 0) {
    const verbs = [...new Set(view.ancestryUnknown)].join(', ');
    rows.push(['operator', `${verbs}: channel terminal, ancestry unknown (docs/threat-model.md)`]);
  }
  return rows;
}

/** Whether anything but the run's own tree was changed during a turn (L-A15, L-G21, L-G22). */
export function hasForeignWrite({ findings }: Story): boolean {
  return findings.some(({ kind }) => kind === 'foreign_write' || kind === 'checkout_moved');
}

/** What is no path (a commit's subject, a branch) is not quoted like one. */
export function findingNames({ kind, paths }: Finding): readonly string[] {
  const isOfPaths = !['agent_commit', 'checkout_moved', 'refs_changed'].includes(kind);
  return paths.map(isOfPaths ? quotePath : clean);
}

/** One row for each kind, over all turns. */
function findingRows({ findings }: Story): Row[] {
  const kinds = [...new Set(findings.map(({ kind }) => kind))].filter((one) => !told.includes(one));
  return kinds.flatMap((kind, i): Row[] => {
    if (kind === 'refs_changed') return refRows(findings, i === 0 ? 'found' : '');
    const ofKind = findings.filter((finding) => finding.kind === kind);
    const paths = [...new Set(ofKind.flatMap(findingNames))];
    const unnamed = Math.max(0, ...ofKind.map(({ more }) => more));
    const more = Math.max(0, paths.length - pathsMax) + unnamed;
    const list = paths.slice(0, pathsMax).join(', ');
    const text = `${words(kind)}: ${list}${more > 0 ? `, ${more} more` : ''}`;
    return [[i === 0 ? 'found' : '', text]];
  });
}

/** Nobody can tell who moved a ref; each is named with the command that brings it back. */
function refRows(findings: Story['findings'], label: string): Row[] {
  const ofKind = findings.filter(({ kind }) => kind === 'refs_changed');
  const refs = ofKind.flatMap(({ paths, notes = [] }) =>
    paths.map((path, i) => [path, notes[i] ?? ''].filter((text) => text !== '').map(clean)),
  );
  const unnamed = ofKind.reduce((sum, { more }) => sum + more, 0);
  const more = unnamed + Math.max(0, refs.length - refsMax);
  const lines = refs.slice(0, refsMax).flatMap(([path, back]) => {
    const known = path === undefined ? [] : [`  ${path}`];
    return back === undefined ? known : [...known, `    back: ${back}`];
  });
  return [
    [label, 'changed in your repository while the agent ran:'],
    ...lines.map((line): Row => ['', line]),
    ...(more > 0 ? [['', `  ${more} more`] as const] : []),
  ];
}
