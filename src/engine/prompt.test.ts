import { expect, test } from 'vitest';
import { exampleDefinition } from '../../test/support/example-run.ts';
import { runAfter, working } from '../../test/support/run-fixtures.ts';
import { formatForPrompt, hasConvergenceSignals } from '../domain/signals/signals.ts';
import { makers } from '../kernel/profiles.ts';
import { executePrompt } from './prompt.ts';

const facts = {
  run: runAfter(...working()),
  attempt: 1,
  recent: { verdict: null, exchange: null },
  hints: [],
  warning: '',
};
const intent = {
  originalIntent: 'make the failing date tests pass',
  inferredGoal: 'weeks begin on Monday',
  addedContext: ['the calendar is ISO 8601'],
  verificationPlan: 'npm run lint; npm test',
};

test('what was asked, inferred, added and planned reaches the maker, each as what it is (XP-7)', () => {
  const prompt = executePrompt({ ...facts, definition: exampleDefinition({ intent }) });
  const [goal, rest = ''] = prompt.split('# Your part');
  const [, judging] = rest.split('# How it is judged');
  expect(goal).toBe(
    `# Goal\n\n${intent.originalIntent}\n\nUnderstood as: ${intent.inferredGoal}\n\nthe calendar is ISO 8601\n\n`,
  );
  expect(judging).toContain(intent.verificationPlan);
  const plain = exampleDefinition({ intent: { ...intent, inferredGoal: null, addedContext: [] } });
  expect(executePrompt({ ...facts, definition: plain })).not.toContain('Understood as');
});

test('from the second attempt on the history is among what is to be read (EV-27)', () => {
  const definition = exampleDefinition({ context: ['docs/dates.md'] });
  const first = executePrompt({ ...facts, definition });
  expect(first).toContain('# Read first\n\n- docs/dates.md');
  expect(first).not.toContain('PAWL_HISTORY_FILE');
  expect(executePrompt({ ...facts, definition, attempt: 2 })).toContain(
    '- docs/dates.md\n- the attempts before this one: the file that $PAWL_HISTORY_FILE names',
  );
});

test('each profile is told its own part, and the project’s words after it (EV-16)', () => {
  const parts = makers.map(({ name, told }) => {
    const { roles } = exampleDefinition({});
    const execute = { ...roles.execute, profile: name, prompt: 'Blue, not red.' };
    const definition = exampleDefinition({ roles: { ...roles, execute } });
    const prompt = executePrompt({ ...facts, definition });
    const part = prompt.split('# Your part\n\n')[1]?.split('\n\n# ')[0];
    expect(part).toBe(`${told.join('\n')}\n\nBlue, not red.`);
    return part;
  });
  expect(new Set(parts).size).toBe(makers.length);
});

test('who makes is told where to leave what is looked at (EV-67)', () => {
  const definition = exampleDefinition({ artifacts: ['shots/**/*.png'] });
  const prompt = executePrompt({ ...facts, definition });
  expect(prompt).toContain('pawl leaves it there:\n- shots/**/*.png\n\n# How it is judged');
});

test('errors warn the model in its prompt; what stops the run is not told, it acts (EV-64)', () => {
  const counters = { totalErrors: 3, unhealedErrors: 3, timeouts: 0 };
  const definition = exampleDefinition({});
  const prompt = executePrompt({ ...facts, definition, warning: formatForPrompt(counters) });
  expect(prompt.trimEnd()).toMatch(/\nWarning: 3 errors so far, 3 not recovered from\. .+$/);
  expect(prompt).not.toMatch(/threshold|escalat|brake/i);
  expect(hasConvergenceSignals(counters)).toBe(true);
  expect(executePrompt({ ...facts, definition })).not.toContain('Warning');
});

test('every turn is told how a question is asked so that it is heard (L-O9, L-E3)', () => {
  const prompt = executePrompt({ ...facts, definition: exampleDefinition({}) });
  expect(prompt).toContain('{"outcome":"question","text":"…"}');
  expect(prompt).toContain('$PAWL_RESULT_FILE');
});
