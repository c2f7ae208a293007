/** Writes docs/errors.md from src/kernel/error-codes.ts. `--check` only compares. */
import { generated } from './generated.mjs';
import { load } from './load.mjs';

const { errorCodes } = await load('src/kernel/error-codes.ts');
const cell = (text) => String(text).replaceAll('|', '\\|');
const row = ([code, { http, exit, next }]) => `| \`${code}\` | ${exit} | ${http} | ${cell(next)} |`;
const isShown = ([code]) => !code.includes('.');
const table = (entries) =>
  ['| code | exit | HTTP | what to do next |', '|---|---|---|---|', ...entries.map(row)].join('\n');
const all = Object.entries(errorCodes);

generated(
  'docs/errors.md',
  `# Errors

Every code this program can give, with its exit status, its HTTP status and what to do next. Codes are
never renamed and never used again for something else. Exit codes: 1 could not be done · 2 refused
before anything happened · 70 a bug of ours.

This page is generated from \`src/kernel/error-codes.ts\` by \`npm run docs\`.

## Shown to a user

${table(all.filter(isShown))}

## Inside

Seen in logs, in events and through the library; a message shows them only when nothing better is known.

${table(all.filter((entry) => !isShown(entry)))}
`,
);
