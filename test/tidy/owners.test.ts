/**
 * Who owns what (DESIGN §3): the work and its verification, the agents' implementations, artifacts
 * and continuity have four owners, none of which reaches into another. Read from the imports.
 */
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { adapterOf } from '../../src/agents/adapters.ts';
import { knownNames } from '../../src/contract/known-agents.ts';
import { knownAgents } from '../../src/detect/agents.ts';
import { agentPermissions } from '../../src/kernel/agent-permissions.ts';
import { turnSetting } from '../support/turn-setting.ts';
import { filesIn, type Source, shipped } from './sources.ts';

const below = (...folders: readonly string[]): readonly Source[] =>
  shipped.filter(({ path }) => folders.some((folder) => path.startsWith(`src/${folder}/`)));

/** `from → to` for every import of the sources that leads into one of the folders. */
function importsInto(from: readonly Source[], ...folders: readonly string[]): readonly string[] {
  return from.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)]
      .map(([, target]) => join(dirname(path), target ?? ''))
      .filter((target) => folders.some((folder) => target.startsWith(`src/${folder}/`)))
      .map((target) => `${path} → ${target}`),
  );
}

const owners = {
  work: ['domain', 'engine'],
  capability: ['agents'],
  artifact: ['store/artifacts'],
  continuity: ['host', 'git'],
};

test.each(Object.entries(owners))('%s reaches into no other owner (XP-36)', (own, folders) => {
  const others = Object.entries(owners).flatMap(([name, theirs]) => (name === own ? [] : theirs));
  // Capability and continuity are told what to do in words of the work: its types, no behaviour.
  const words = own === 'work' ? [] : ['domain'];
  const reached = importsInto(
    below(...folders),
    ...others.filter((folder) => !words.includes(folder)),
  );
  expect(reached.join('\n')).toBe('');
  expect(below(...folders).length).toBeGreaterThan(0);
});

test('no file composes all four but the composition itself (XP-36)', () => {
  const composing = shipped
    .filter((source) =>
      Object.values(owners).every((folders) => importsInto([source], ...folders).length > 0),
    )
    .map(({ path }) => path);
  expect(composing.filter((path) => !path.startsWith('src/main/')).join('\n')).toBe('');
});

test('the work decides about runs, results and verification; nobody else makes its events (XP-4)', () => {
  const events = /type: '(?:run|attempt|verification|job)\.[a-z_]+'/;
  const makers = shipped.filter(({ text }) => events.test(text)).map(({ path }) => path);
  const elsewhere = makers.filter((path) => !/^src\/(?:domain|engine)\//.test(path));
  expect(elsewhere.join('\n')).toBe('');
  expect(makers.length).toBeGreaterThan(0);
});

test('an agent’s implementation knows no transport, no process, no store and no tree (XP-5)', () => {
  const agents = below('agents');
  expect(importsInto(agents, 'host', 'store', 'git', 'engine', 'verify').join('\n')).toBe('');
  const spawning = agents.filter(({ text }) => /node:(?:child_process|net|http)/.test(text));
  expect(spawning.map(({ path }) => path).join('\n')).toBe('');
  expect(importsInto(below('domain', 'engine'), 'agents', 'host').join('\n')).toBe('');
});

test('an execution is a job and no more: phases of a run are not its words (EV-4)', () => {
  // `job.ts` is the seam: it turns what a run dispatched into a job.
  const jobs = below('domain/execution').filter(({ path }) => !path.endsWith('/job.ts'));
  expect(importsInto(jobs, 'domain/run').join('\n')).toBe('');
  const phases = /'(?:preparing|planning|executing|verifying|reflecting|escalated)'|\bphase\b/;
  expect(
    jobs
      .filter(({ text }) => phases.test(text))
      .map(({ path }) => path)
      .join('\n'),
  ).toBe('');
  expect(jobs.length).toBeGreaterThanOrEqual(4);
});

test('an agent that is known by name is known as that everywhere', () => {
  const names = [...knownNames].sort();
  expect([...agentPermissions.keys()].sort()).toEqual(names);
  expect(knownAgents.map(({ name }) => name).sort()).toEqual(names);
});

test('no default command names a model, and what runs a command knows no vendor (SL-77)', () => {
  const words = knownNames.flatMap((agent) => {
    const setting = turnSetting({ role: { agent }, permissions: 'trusted' });
    return adapterOf(setting.role).launch(setting).argv;
  });
  expect(words.filter((word) => /^(?:--model|-m)(?:=|$)|\{model\}/.test(word))).toEqual([]);
  expect(words.length).toBeGreaterThan(knownNames.length);
  // Who started this process is asked by names (DESIGN §11a); what it runs is not.
  const runner = below('domain', 'engine', 'host', 'agents/command').filter(
    ({ path }) => path !== 'src/host/known-agents.ts',
  );
  const vendor = /claude|codex|opencode|anthropic|openai|gemini|--model\b/i;
  expect(
    runner
      .filter(({ text }) => vendor.test(text))
      .map(({ path }) => path)
      .join('\n'),
  ).toBe('');
});

test('who asks, what decides and who does the work are three layers, by the Client and ports (EV-38)', () => {
  // 0: commands and pages ask the engine and are asked by it; they hold no machine and no lane.
  const asking = importsInto(below('cli'), 'engine', 'store', 'host', 'git', 'verify', 'agents');
  expect(asking.join('\n')).toBe('');
  // 1: machines, dispatch and brakes know no page and no agent.
  const deciding = importsInto(
    below('domain', 'engine'),
    'cli',
    'agents',
    'host',
    'verify',
    'main',
  );
  expect(deciding.join('\n')).toBe('');
  const brakes = below('domain').filter(({ text }) =>
    /export function hasConvergenceSignals/.test(text),
  );
  expect(brakes.map(({ path }) => path)).toEqual(['src/domain/signals/signals.ts']);
  // 2: agents do what they are told, and a word of theirs moves nothing by itself.
  expect(importsInto(below('agents'), 'engine', 'cli', 'store').join('\n')).toBe('');
  // What is told to agents instructs, and holds no program.
  expect(filesIn('skills', '.ts', '.mjs', '.js', '.sh').map(({ path }) => path)).toEqual([]);
});

test('every verb is held at one place: no command, page or puller decides for itself (SL-17)', () => {
  const using = (word: RegExp): readonly string[] =>
    shipped.filter(({ text }) => word.test(text)).map(({ path }) => path);
  // One writer of events, behind one gate that asks who may.
  expect(using(/\bstore\.transact\(/)).toEqual(['src/engine/drain.ts']);
  expect(using(/\bcomposeDecide\(/)).toEqual(['src/engine/compose.ts', 'src/engine/engine.ts']);
  expect(using(/decide: guarded\b/)).toEqual(['src/engine/engine.ts']);
  // The table of who may is asked by the engine's edge, and by the machine as a second lock.
  const askers = shipped.filter((source) =>
    importsInto([source], 'domain/principal').some((line) => line.endsWith('/may.ts')),
  );
  expect(askers.length).toBeGreaterThan(1);
  expect(
    askers.map(({ path }) => path).filter((path) => !/^src\/(?:engine|domain)\//.test(path)),
  ).toEqual([]);
  // A command line that says no says it with the engine's own table of verbs.
  expect(importsInto(below('cli'), 'domain/run', 'domain/principal').join('\n')).toBe('');
});
