/** Writes docs/errors.md from the registry of codes and their meanings. `--check` only compares. */
import { generated } from './generated.mjs';
import { load } from './load.mjs';

const { errorCodes } = await load('src/kernel/error-codes.ts');
const { errorMeanings } = await load('src/kernel/error-meanings.ts');
const isShown = ([code]) => !code.includes('.');
const all = Object.entries(errorCodes);

function section([code, { http, exit, next }]) {
  const { means, remedy } = errorMeanings[code];
  const kind = exit === 0 ? 'a warning' : `exit ${exit}`;
  return [
    `### \`${code}\``,
    '',
    `${kind} · HTTP ${http} · in short: ${next}`,
    '',
    `**What it means.** ${means}`,
    '',
    `**What to do.** ${remedy}`,
  ].join('\n');
}
const sections = (entries) => entries.map(section).join('\n\n');

generated(
  'docs/errors.md',
  `# Errors

Every code this program can give: what it means and what to do. \`pawl help <code>\` prints the same. Codes
are never renamed and never used again for something else. Exit codes: 1 could not be done · 2 refused
before anything happened · 70 a bug of ours; \`pawl help exit-codes\` lists all of them.

This page is generated from \`src/kernel/error-codes.ts\` and \`src/kernel/error-meanings.ts\` by
\`npm run docs\`.

## Shown to a user

${sections(all.filter(isShown))}

## Inside

Seen in logs, in events and through the library; a message shows them only when nothing better is known.

${sections(all.filter((entry) => !isShown(entry)))}
`,
);
