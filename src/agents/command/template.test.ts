import { expect, test } from 'vitest';
import { argumentBytesMax, fillTemplate, type TemplateValues } from './template.ts';

const values: TemplateValues = {
  prompt: '/spool/turn/prompt.md',
  promptContent: 'fix {cwd} and $(rm -rf .)',
  cwd: '/trees/a b',
  model: 'm-1',
  output: '/spool/turn/output.md',
  artifact: '/spool/turn/artifact.md',
  verdict: '/spool/turn/verdict.json',
  currentTask: 'fix-dates',
  currentPhase: 'execute',
};

test('puts every token into elements of a list, without a shell (SL-75, SL-76)', () => {
  const template = ['x', '--dir={cwd}', '{prompt}', '-m', '{model}', '{output}:{artifact}'];
  expect(
    fillTemplate([...template, '{verdict}', '{current_task}/{current_phase}'], values),
  ).toEqual([
    'x',
    '--dir=/trees/a b',
    '/spool/turn/prompt.md',
    '-m',
    'm-1',
    '/spool/turn/output.md:/spool/turn/artifact.md',
    '/spool/turn/verdict.json',
    'fix-dates/execute',
  ]);
});

test('what a token brings in is not looked through again', () => {
  expect(fillTemplate(['{prompt_content}'], values)).toEqual(['fix {cwd} and $(rm -rf .)']);
});

test('an unassigned {model} and unknown tokens stay as they are written (SL-76)', () => {
  expect(fillTemplate(['{model}', '{nothing}', '{}'], { ...values, model: null })).toEqual([
    '{model}',
    '{nothing}',
    '{}',
  ]);
});

test('a prompt of 200 kB in an argument is refused by the name of its token (L-J4)', () => {
  const promptContent = 'ä'.repeat(100_000);
  expect(() => fillTemplate(['a', '{prompt_content}'], { ...values, promptContent })).toThrow(
    /\{prompt_content\} is 200000 bytes/,
  );
  expect(fillTemplate(['{prompt}'], { ...values, promptContent })).toEqual([values.prompt]);
});

test('the longest argument that the system takes is let through', () => {
  const promptContent = 'x'.repeat(argumentBytesMax);
  expect(fillTemplate(['{prompt_content}'], { ...values, promptContent })).toEqual([promptContent]);
});
