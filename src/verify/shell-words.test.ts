import { expect, test } from 'vitest';
import { programsOf } from './shell-words.ts';

test.each([
  ['sh check.sh', ['sh', 'check.sh']],
  ['./check.sh --fast', ['./check.sh']],
  ['CI=1 bash -eu scripts/check.sh src/a.ts', ['bash', 'scripts/check.sh']],
  ['node check.mjs && npm test', ['node', 'check.mjs', 'npm']],
  ['node --test test/a.test.mjs', ['node']],
  ['node -e "process.exit(0)"', ['node']],
  ['python3 -m pytest tests', ['python3']],
  ['/usr/bin/env python3 tools/check.py | tee log', ['/usr/bin/env', 'tee']],
  ['sh "tools/check.sh" && ./b.sh', ['sh', 'tools/check.sh', './b.sh']],
  ['env python3 tools/check.py | tee log', ['python3', 'tools/check.py', 'tee']],
  ['cd app; make test', ['cd', 'make']],
  ['grep -q 42 answer.txt', ['grep']],
  ['', []],
  ['node --check src/a.mjs', ['node']],
  ['node -c src/a.mjs && node check.mjs -c', ['node', 'node', 'check.mjs']],
  ['bash -n install.sh; sh -eu run.sh -n', ['bash', 'sh', 'run.sh']],
  ['ruby -wc a.rb && perl -c b.pl && php -l c.php', ['ruby', 'perl', 'php']],
  ['deno check main.ts', ['deno']],
])('%s runs %j (L-A11)', (command, programs) => {
  expect(programsOf(command)).toEqual(programs);
});
