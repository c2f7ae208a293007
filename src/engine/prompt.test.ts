import { expect, test } from 'vitest';
import { exampleDefinition } from '../../test/support/example-run.ts';
import { runAfter, working } from '../../test/support/run-fixtures.ts';
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
  const [goal, judging] = prompt.split('# How it is judged');
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
