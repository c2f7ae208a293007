/**
 * Goal: what a designer draws is announced, put before the observer, and left where it lies.
 * Method: a designer and an observer that are scripts; the picture lies where git ignores it.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Pawl, pawl } from '../support/pawl.ts';
import { runGit } from '../support/repositories.ts';

let it: Pawl;
beforeEach(() => {
  it = pawl();
});
afterEach(() => it.close());

const designer = `cat > "$ROOT/made.txt"
mkdir -p shots
printf 'a picture' > shots/wide.png
echo '.wide {}' >> style.css
`;
/** It passes only for who finds the picture at the path that it is told. */
const observer = `cat > "$ROOT/asked.txt"
path=$(grep -o '^shots/[a-z]*.png' "$ROOT/asked.txt")
if [ "$(cat "$path")" = 'a picture' ]
then echo '{"pass": true, "score": 1, "reasons": ["seen"]}'
else echo '{"pass": false, "score": 0, "reasons": ["nothing to see"]}'
fi
`;

function project(): string {
  const root = join(it.root, 'project');
  mkdirSync(root, { recursive: true });
  writeFileSync(join(it.root, 'designer.sh'), `ROOT=${it.root}\n${designer}`);
  writeFileSync(join(it.root, 'observer.sh'), `ROOT=${it.root}\n${observer}`);
  writeFileSync(join(root, 'style.css'), '');
  writeFileSync(join(root, '.gitignore'), 'shots/\n');
  writeFileSync(
    join(root, 'pawl.yaml'),
    `version: 1
domain: ui
artifacts: ["shots/*.png", "shots/*.svg"]
fileScope: ["style.css"]
agents:
  hand: { command: [sh, ${join(it.root, 'designer.sh')}] }
  eye: { command: [sh, ${join(it.root, 'observer.sh')}] }
roles:
  execute: { agent: hand, prompt: Blue rather than red. }
  verify: { agent: eye }
criteria: [{ observer: The page fits a wide window. }]
`,
  );
  runGit(root, 'init', '-q', '-b', 'main');
  runGit(root, 'add', '-A');
  runGit(root, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'base');
  return root;
}

test('a picture of the designer is attested, announced and seen by the observer, and stays his (EV-66, EV-67, EV-35)', async () => {
  const cwd = project();
  const ran = await it.run(['run', 'make it wide', '-n', '1'], { cwd });
  expect({ exit: ran.exit, err: ran.stderr }).toMatchObject({ exit: 0 });
  expect(ran.stdout).toMatch(/ artifacts .*shots\/wide\.png/);

  const made = readFileSync(join(it.root, 'made.txt'), 'utf8');
  expect(made).toContain('You shape what people see and use');
  expect(made).toContain('Blue rather than red.');
  expect(made).toContain('- shots/*.png');
  const asked = readFileSync(join(it.root, 'asked.txt'), 'utf8');
  expect(asked).toContain('Judge what the work looks like');
  expect(asked).toContain('shots/wide.png (9 bytes)');
  expect(asked).toContain('MISSING: nothing fits shots/*.svg');

  const shown = (await it.run(['show', '@last', '--json'], { cwd })).json();
  expect(shown).toMatchObject({
    status: 'complete',
    verification: 'passed',
    roles: { domain: 'ui', execute: { profile: 'designer' }, verify: { profile: 'observer' } },
    artifacts: { files: [{ path: 'shots/wide.png', bytes: 9 }], missing: ['shots/*.svg'] },
  });
  const page = (await it.run(['show', '@last'], { cwd })).stdout;
  expect(page).toMatch(/roles +designer on hand, judged by observer on eye \(domain: ui\)/);
  expect(page).toMatch(/missing: nothing fits shots\/\*\.svg/);

  const tree = (await it.run(['path', '@last'], { cwd })).stdout.trim();
  expect(existsSync(join(tree, 'shots/wide.png'))).toBe(true);
  expect(runGit(cwd, 'diff', '--name-only', `main..${shown['branch']}`)).toBe('style.css');
});
