/** Which rows of docs/requirements.rows.md are cited by which tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './load.mjs';

const areas = 'PL|XP|SL|EV|RR';

/** Every row, as `{ id, area, text, note }`, in the order of the page. */
export function rows() {
  const page = readFileSync(join(root, 'docs/requirements.rows.md'), 'utf8');
  const line = new RegExp(`^\\| ((${areas})-\\d+) \\| \\S+ \\| (.*) \\|([^|]*)\\|$`, 'gm');
  return [...page.matchAll(line)].map(([, id, area, text, note]) => ({
    id,
    area,
    text: text.trim(),
    note: note.trim(),
  }));
}

/**
 * The ids that a title names: `EV-13`, `EV-1…6`, `EV-1..6`, `SL-75/76`, `XP-4, 5`, `L-A17`,
 * `L-N4…N6`, `ruling 5`, `rulings 1, 2`.
 */
export function idsIn(title) {
  const requirement = new RegExp(
    `\\b(${areas})-(\\d+)((?:\\s*(?:…|\\.{2,3}|/|,)\\s*\\d+(?![\\w.]))*)`,
    'g',
  );
  const fault = /\bL-([A-Z])(\d+)((?:\s*(?:…|\.{2,3}|\/|,)\s*\1?\d+(?![\w.]))*)/g;
  const ruling = /\brulings? (\d+)((?:\s*(?:…|\.{2,3}|\/|,)\s*\d+(?![\w.]))*)/g;
  return [
    ...[...title.matchAll(ruling)].flatMap(([, first, rest]) =>
      numbers(first, rest).map((number) => `ruling ${number}`),
    ),
    ...[...title.matchAll(requirement)].flatMap(([, area, first, rest]) =>
      numbers(first, rest).map((number) => `${area}-${number}`),
    ),
    ...[...title.matchAll(fault)].flatMap(([, letter, first, rest]) =>
      numbers(first, rest).map((number) => `L-${letter}${number}`),
    ),
  ];
}

function numbers(first, rest) {
  const found = [Number(first)];
  for (const [, joint, , text] of rest.matchAll(/(…|\.{2,3}|\/|,)\s*([A-Z]?)(\d+)/g)) {
    const number = Number(text);
    const isRange = joint !== '/' && joint !== ',';
    const from = found.at(-1) + 1;
    if (isRange && number - from < 100) for (let n = from; n < number; n += 1) found.push(n);
    found.push(number);
  }
  return found;
}

/** The rows and rulings that docs/requirements.closed.txt names: none may be without a test. */
export function closed() {
  return idsIn(readFileSync(join(root, 'docs/requirements.closed.txt'), 'utf8'));
}

/** `{ path, title, ids }` of every string in a test that names a row or a fault. */
export function citations() {
  return ['src', 'test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => /[.](test|suite)[.]ts$/.test(path))
        .map((path) => join(folder, path)),
    )
    .sort()
    .flatMap(citationsIn);
}

function citationsIn(path) {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g)]
    .map(([, , literal]) => literal.replace(/\\(.)/g, '$1'))
    .map((title) => ({ path, title, ids: idsIn(title) }))
    .filter(({ ids }) => ids.length > 0);
}
