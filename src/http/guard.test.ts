import { expect, test } from 'vitest';
import { type Asked, guard } from './guard.ts';

const check = guard({ names: ['Pawl.Example'] });
const asked = (more: Partial<Asked>): Asked => ({
  host: '127.0.0.1:7295',
  origin: undefined,
  site: undefined,
  ...more,
});

test.each(['127.0.0.1:7295', 'localhost', '[::1]:7295', '10.0.0.7', 'pawl.example:443'])(
  'it is answered as %s',
  (host) => {
    expect(() => check(asked({ host }))).not.toThrow();
  },
);

test.each([undefined, '', 'evil.example', 'localhost.evil.example', 'localhost:7295:1', 'a b'])(
  'a name that somebody else lets point here is refused: %s',
  (host) => {
    expect(() => check(asked({ host }))).toThrow(expect.objectContaining({ code: 'host_refused' }));
  },
);

test.each([
  { origin: 'http://evil.example' },
  { origin: 'null' },
  { origin: 'http://127.0.0.1:80' },
  { site: 'cross-site' },
])('a page of another site is refused: %o', (more) => {
  const refused = expect.objectContaining({ code: 'origin_refused' });
  expect(() => check(asked(more))).toThrow(refused);
});

test('a page of this server itself is answered', () => {
  const own = { origin: 'http://127.0.0.1:7295', site: 'same-origin' };
  expect(() => check(asked(own))).not.toThrow();
});
