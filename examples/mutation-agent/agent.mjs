/**
 * A small program-repair agent that uses no model. Per turn it
 *   1. goes back to the base state of the sources,
 *   2. runs the tests and sees which fail,
 *   3. ranks the functions by how much the failing tests, and how little the passing ones, reach
 *      them (the Ochiai score over a static call graph); the prompt may name one and lift it,
 *   4. makes the first change to the most suspicious function that it has not made before,
 *   5. and says "done, all tests pass", whatever is true.
 *
 * It remembers by the commits between the base and HEAD, and by the number of attempts in
 * PAWL_HISTORY_FILE; it writes nothing of its own into the work tree.
 *
 *   node agent.mjs            in a git work tree; the tests are run with `node --test`
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { apply, mutationsOf } from './mutations.mjs';
import { functionsOf, masked, namesOf, testsOf } from './source.mjs';

const claim = 'done, all tests pass';
const isTest = (path) => /(?:^|\/)tests?\/|[.]test[.][cm]?js$/.test(path);
const say = (line) => process.stdout.write(`${line}\n`);

function run(command, args, env = process.env) {
  const { status, stdout, error } = spawnSync(command, args, {
    env,
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  return { status, stdout };
}

function git(...args) {
  const { status, stdout } = run('git', args);
  if (status !== 0) throw new Error(`git ${args[0]} ended with ${status}`);
  return stdout;
}

function fileNamedBy(variable) {
  const path = process.env[variable];
  return path === undefined ? '' : readFileSync(path, 'utf8');
}

/** The newest commit of HEAD's history that lies on a branch that is not a run's own. */
function baseCommit() {
  const head = git('rev-parse', 'HEAD').trim();
  const branches = git('for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/remotes').split(
    '\n',
  );
  const bases = branches
    .filter((name) => name !== '' && !/^refs\/(?:heads|remotes\/[^/]+)\/pawl\//.test(name))
    .map((name) => run('git', ['merge-base', head, name]))
    .filter(({ status }) => status === 0)
    .map(({ stdout }) => stdout.trim());
  const distance = (base) => Number(git('rev-list', '--count', `${base}..${head}`));
  return bases.sort((a, b) => distance(a) - distance(b))[0] ?? head;
}

function filesAt(commit) {
  return git('ls-tree', '-r', '-z', '--name-only', commit)
    .split('\0')
    .filter((path) => /[.][cm]?js$/.test(path) && !path.includes('node_modules/'));
}

/** Titles of failing and passing tests, and `path:line` of every frame of a failure. */
function testResults() {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = run(process.execPath, ['--test', '--test-reporter=tap'], env);
  const titles = (pattern) =>
    new Set([...stdout.matchAll(pattern)].map((match) => match[1].trim()));
  return {
    failing: titles(/^\s*not ok \d+ - (.*)$/gm),
    passing: titles(/^\s*ok \d+ - (.*)$/gm),
    frames: new Set(
      [...stdout.matchAll(/([\w./-]+[.][cm]?js):(\d+):\d+/g)].map((m) => `${m[1]}:${m[2]}`),
    ),
  };
}

/** What a test reaches: the functions it names, those that they name, and so on. */
function reached(names, functions) {
  const seen = new Set();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const found = functions.filter((candidate) => candidate.name === name && !seen.has(candidate));
    for (const one of found) {
      seen.add(one);
      queue.push(...one.names);
    }
  }
  return seen;
}

function ranked(functions, tests, results, prompt) {
  const covers = tests.map((test) => ({ ...test, reached: reached(test.names, functions) }));
  const failing = covers.filter(({ title }) => results.failing.has(title));
  const passing = covers.filter(({ title }) => results.passing.has(title));
  const named = namesOf(prompt);
  const score = (one) => {
    const hitBy = (list) => list.filter((test) => test.reached.has(one)).length;
    const [failed, passed] = [hitBy(failing), hitBy(passing)];
    const ochiai = failed === 0 ? 0 : failed / Math.sqrt(failing.length * (failed + passed));
    const isInTrace = one.lines.some((line) =>
      [...results.frames].some((frame) => frame.endsWith(line)),
    );
    return ochiai + (isInTrace ? 1 : 0) + (failed > 0 && named.has(one.name) ? 0.5 : 0);
  };
  return functions
    .map((one) => ({ ...one, score: score(one) }))
    .filter(({ score: value }) => value > 0)
    .sort((a, b) => b.score - a.score || a.path.localeCompare(b.path) || a.from - b.from);
}

function functionsIn({ path, text }) {
  const mask = masked(text);
  const lineAt = (offset) => text.slice(0, offset).split('\n').length;
  return functionsOf(mask).map((one) => {
    const first = lineAt(one.from);
    const count = lineAt(one.to) - first + 1;
    return {
      ...one,
      path,
      mask,
      text,
      names: namesOf(mask.slice(one.from, one.to)),
      lines: Array.from({ length: count }, (_, index) => `${path}:${first + index}`),
    };
  });
}

/** Contents that the sources had in any commit since the base: what has been tried. */
function triedSince(base, paths) {
  const commits = git('rev-list', `${base}..HEAD`).split('\n').filter(Boolean);
  const tried = new Map(paths.map((path) => [path, new Set()]));
  for (const commit of commits) {
    for (const path of paths) tried.get(path).add(git('show', `${commit}:${path}`));
  }
  return tried;
}

/** The first change in order of suspicion that is not in the history. */
function nextChange(functions, base, attemptsBefore) {
  const tried = triedSince(base, [...new Set(functions.map(({ path }) => path))]);
  const seen = new Set();
  const all = functions
    .flatMap((one) =>
      mutationsOf(one.mask, one).map((change) => ({ ...change, ...pick(one, change) })),
    )
    .filter(
      ({ path, result }) => !seen.has(`${path}\0${result}`) && seen.add(`${path}\0${result}`),
    );
  const fresh = all.filter(({ path, result }) => !tried.get(path).has(result));
  // A history longer than what the commits show means that some tries left no commit behind.
  const unseen = Math.max(0, attemptsBefore - (all.length - fresh.length));
  return fresh[unseen];
}

const pick = (one, change) => ({ path: one.path, name: one.name, result: apply(one.text, change) });

function turn() {
  const history = fileNamedBy('PAWL_HISTORY_FILE');
  const attempts = [...history.matchAll(/^\[Attempt (\d+)\]/gm)].map((match) => Number(match[1]));
  const base = baseCommit();
  const files = filesAt(base).map((path) => ({ path, text: git('show', `${base}:${path}`) }));
  const sources = files.filter(({ path }) => !isTest(path));
  for (const { path, text } of sources) writeFileSync(path, text);

  const results = testResults();
  say(`failing: ${[...results.failing].join(', ') || 'nothing'}`);
  const tests = files.filter(({ path }) => isTest(path)).flatMap(({ text }) => testsOf(text));
  const suspects = ranked(
    sources.flatMap(functionsIn),
    tests,
    results,
    fileNamedBy('PAWL_PROMPT_FILE'),
  );
  for (const { name, path, score } of suspects.slice(0, 3))
    say(`suspect: ${name} in ${path} (${score.toFixed(2)})`);

  const change = nextChange(suspects, base, Math.max(0, ...attempts));
  if (change === undefined) return say('no idea left');
  writeFileSync(change.path, change.result);
  return say(`${change.path}:${change.line} ${change.kind}: ${change.before} → ${change.after}`);
}

turn();
say(claim);
if (process.env.PAWL_RESULT_FILE !== undefined) {
  writeFileSync(process.env.PAWL_RESULT_FILE, JSON.stringify({ outcome: 'done', text: claim }));
}
