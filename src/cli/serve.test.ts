import { expect, test } from 'vitest';
import { typed } from '../../test/support/scripted-cli.ts';

const here = 'http://127.0.0.1:7295';
test.each([
  [['--listen', 'localhost:81'], 'http://localhost:81'],
  [['--server', 'http://localhost:82'], 'http://localhost:82'],
  [[], here],
])('serve --drain %j asks the server that is named so', async (flags, url) => {
  const drained: string[] = [];
  const drain = async (server: string) => void drained.push(server);
  const { exit, out } = await typed(['serve', '--drain', ...flags], { drain });
  expect({ exit, drained }).toEqual({ exit: 0, drained: [url] });
  expect(out).toContain(url);
});
