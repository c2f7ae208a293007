/**
 * Writes docs/requirements.md: each row of docs/requirements.rows.md with the tests whose titles
 * cite it. `--check` only compares; `--missing` prints the ids of the rows that no test cites.
 */
import { citations, rows } from './citations.mjs';
import { generated } from './generated.mjs';

const titles = {
  PL: 'Plan loop',
  XP: 'Execution plane',
  SL: 'Scheduled loops',
  EV: 'Execute and verify',
  RR: 'Robust unattended runs',
};
const cited = new Map();
for (const citation of citations()) {
  for (const id of citation.ids) cited.set(id, [...(cited.get(id) ?? []), citation]);
}
const all = rows();

const cell = (text) => text.replaceAll('|', '\\|');
const tests = (id) =>
  (cited.get(id) ?? []).map(({ path, title }) => `[${cell(title)}](../${path})`).join('<br>');
const table = (head, ids) =>
  [`| ${head} | tests |`, '|---|---|', ...ids.map((id) => `| ${id} | ${tests(id)} |`)].join('\n');

/** `PL-2…6, PL-9`. */
function spans(ids) {
  const numbers = ids.map((id) => Number(id.slice(3)));
  const starts = numbers.filter((number) => !numbers.includes(number - 1));
  const ends = numbers.filter((number) => !numbers.includes(number + 1));
  const area = ids[0].slice(0, 3);
  return starts
    .map((start, index) =>
      start === ends[index] ? `${area}${start}` : `${area}${start}…${ends[index]}`,
    )
    .join(', ');
}

function section(area) {
  const ids = all.filter((row) => row.area === area).map(({ id }) => id);
  const met = ids.filter((id) => cited.has(id));
  const open = ids.filter((id) => !cited.has(id));
  return [
    `## ${area}. ${titles[area]}: ${met.length} of ${ids.length} rows cited`,
    met.length === 0 ? '' : table('row', met),
    open.length === 0 ? '' : `No test cites: ${spans(open)}.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const faults = [...cited.keys()].filter((id) => id.startsWith('L-'));
const rulings = [...cited.keys()].filter((id) => id.startsWith('ruling '));
const inOrder = new Intl.Collator('en', { numeric: true }).compare;

if (process.argv.includes('--missing')) {
  const missing = all.filter(({ id }) => !cited.has(id)).map(({ id }) => id);
  process.stdout.write(`${missing.join(' ')}\n`);
} else {
  generated(
    'docs/requirements.md',
    `# Requirements and their tests

A row of [requirements.rows.md](requirements.rows.md) is met when a test shows it; the title of that test
cites the row. This page is generated from the titles by \`npm run docs\`.

${Object.keys(titles).map(section).join('\n\n')}

## Rulings between rows

${rulings.length === 0 ? 'No test cites one.' : table('ruling', rulings.sort(inOrder))}

## Faults of programs of this kind

${faults.length === 0 ? 'No test cites one.' : table('fault', faults.sort(inOrder))}
`,
  );
}
