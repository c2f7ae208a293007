import { expect, test } from 'vitest';
import { plainFacts } from '../../test/support/define-facts.ts';
import { ConfigError } from '../kernel/errors.ts';
import { define } from './define.ts';
import { readLayer } from './layer.ts';
import { targetOf } from './notify.ts';
import { snapshotLayer } from './snapshot-layer.ts';

const agent = 'agents: { mine: { command: [a] } }\nagent: mine\ncheck: npm test\n';

function defined(text: string) {
  const reading = readLayer('pawl.yaml', agent + text, 'project');
  if (!reading.ok) throw new ConfigError(reading.problems);
  return define([reading.layer], plainFacts).definition;
}

const example = `notify:
  on: [ needs_operator, complete ]
  to: [ desktop, "ntfy:https://ntfy.sh/my-pawl", "webhook:env:HOOK_URL", "command:./notify.sh 'a b'",
        { webhook: "https://example.org/hook", secret: "file:/key" } ]
`;

test('every place of UX 4.2 is understood', () => {
  expect(defined(example).notify).toEqual({
    on: ['needs_operator', 'complete'],
    to: [
      { kind: 'desktop' },
      { kind: 'ntfy', url: 'https://ntfy.sh/my-pawl', token: null },
      { kind: 'webhook', url: 'env:HOOK_URL', secret: null },
      { kind: 'command', argv: ['./notify.sh', 'a b'] },
      { kind: 'webhook', url: 'https://example.org/hook', secret: 'file:/key' },
    ],
  });
});

test('nobody is told unless it is said; the machine is kept awake unless it is said (UX 3.2)', () => {
  expect(defined('').notify).toBeUndefined();
  expect(defined('').keepAwake).toBe(true);
  expect(defined('keepAwake: false').keepAwake).toBe(false);
  expect(defined('notify: { to: [desktop] }').notify?.on).toEqual([
    'needs_operator',
    'waiting_human',
    'complete',
    'limit',
  ]);
});

test('a place that is none is refused, with its line', () => {
  expect(() => defined('notify: { to: [desktop, "pager:1"] }')).toThrow(ConfigError);
  try {
    defined('notify: { to: [desktop, "pager:1"] }');
  } catch (error: unknown) {
    const [problem] = error instanceof ConfigError ? error.problems : [];
    expect(problem?.message).toBe('"notify.to[1]" names no place to tell');
    expect(problem?.details.where).toMatch(/^pawl\.yaml:4:/);
    expect(problem?.details.found).toBe('pager:1');
  }
});

test.each(['ntfy:my-topic', 'webhook:HOOK', 'command:"x', 'command:', 'desktop:1', ''])(
  '%j is no place',
  (text) => expect(targetOf(text)).toBeNull(),
);

test('a retry starts from the same places (EV-52)', () => {
  const before = defined(example);
  const again = define([snapshotLayer(before, 'x')], plainFacts).definition;
  expect(again.notify).toEqual(before.notify);
  expect(again.keepAwake).toBe(before.keepAwake);
});
