/**
 * A careless agent: it prints what it was given wherever it can, and asks a model with the key that
 * it has. Its first attempt fails with an invalid result, the second makes the check pass.
 */
export const canaryAgent = `import { appendFileSync, existsSync, writeFileSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
const [place, control] = process.argv.slice(2);
const { BY_ENV, BY_FILE, BY_COMMAND, LOOSE, PAWL_RESULT_FILE, PAWL_ATTEMPT, OPENAI_BASE_URL: base } = process.env;
const values = [BY_ENV, BY_FILE, BY_COMMAND];
const b64 = (text, how = 'base64') => Buffer.from(text).toString(how);
const forms = (value) => [
  value, encodeURIComponent(value), JSON.stringify({ value }), b64(value), b64('x' + value + 'y'),
  b64('xy' + value, 'base64url'), b64(value, 'hex'),
];
const all = values.flatMap(forms);
writeFileSync(place + '/outside', all.join('\\n'));
for (const stream of [1, 2]) {
  writeSync(stream, control + JSON.stringify(process.env) + '\\n' + all.join('\\n') + '\\n');
  for (const form of all) {
    writeSync(stream, form.slice(0, 9));
    await pause(5);
    writeSync(stream, form.slice(9) + '\\n');
  }
}
// What nobody promises to know again: backwards, in part, in a form of its own, in the work.
writeSync(1, 'loose ' + [...LOOSE].reverse().join('') + ' ' + LOOSE.slice(0, 14) + '\\n');
const model = await fetch(base + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'whose key is it?' }] }),
});
console.log(model.status, await model.text());
if (PAWL_ATTEMPT === '1') {
  writeFileSync(PAWL_RESULT_FILE, JSON.stringify({ outcome: 'done', [control + values.join(' ')]: 1 }));
  console.error('failed with ' + values.join(' '));
  process.exit(3);
}
appendFileSync('left.txt', LOOSE + '\\n');
writeFileSync(place + '/ready', '');
for (let n = 0; n < 3000 && !existsSync(place + '/go'); n += 1) await pause(20);
writeFileSync('done.txt', 'done\\n');
writeFileSync(PAWL_RESULT_FILE, JSON.stringify({ outcome: 'done', text: control + all.join('\\n') }));
console.log('the last line says ' + values.join(' '));
`;
