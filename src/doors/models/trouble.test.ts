/** Goal: the door knows how the lane's newest call of its own work came out, whoever asks. */
import { afterEach, expect, test } from 'vitest';
import { asking, doorRig } from '../../../test/support/door-rig.ts';
import type { ModelApi } from '../../ports/models-door.ts';
import type { FailureName } from '../../testing/model-server/failures.ts';

const rig = doorRig();
afterEach(() => rig.close());

const spans = { firstByteStreamedMs: 50, idleMs: 50 };
const ask = (api: ModelApi) => [asking[api].path, asking[api].body(true)] as const;

async function after(by: FailureName, api: ModelApi, times = 40) {
  const { url } = await rig.serving([{ text: 'word '.repeat(200), fails: { by, times } }]);
  const opened = await rig.door({ upstream: url, spans });
  await opened.post(...ask(api));
  return opened;
}

test.each([
  ...(['hang', 'stall', 'drop_at_once', 'drop', 'malformed', 'error_event'] as const),
  ...(['truncated', 'server_error', 'overloaded'] as const),
])('an answer that is lost by %s is known as lost (L-E11)', async (by) => {
  const { door } = await after(by, 'chat');
  expect(door.state().trouble).toBe('lost');
});

test.each([
  ['chat', 'context'],
  ['responses', 'context'],
  // The words of these two are no names.
  ['anthropic', null],
  ['gemini', null],
] as const)('%s: a context that is too long is known by its name alone', async (api, trouble) => {
  const { door } = await after('context_overflow', api);
  expect(door.state().trouble).toBe(trouble);
});

test('an answer that comes at last says that all is well again', async () => {
  const { door, post } = await after('drop', 'chat', 1);
  expect(door.state().trouble).toBe('lost');
  await post(...ask('chat'));
  expect(door.state().trouble).toBe(null);
});

test('a side errand, which offers no tools, says nothing either way', async () => {
  const { door, post } = await after('drop', 'chat');
  const { tools, ...errand } = asking.chat.body(false) as { tools: unknown };
  expect(tools).toBeDefined();
  await post(asking.chat.path, errand);
  expect(door.state().trouble).toBe('lost');
  const fresh = await rig.door({ upstream: (await rig.serving([])).url, spans });
  await fresh.post(asking.chat.path, errand);
  expect(fresh.door.state().trouble).toBe(null);
});

test('a lane that hangs up says nothing of the service', async () => {
  const { url } = await rig.serving([{ text: 'x', fails: { by: 'hang' } }]);
  const { door, post, heard } = await rig.door({ upstream: url });
  await post(asking.chat.path, asking.chat.body(true), { leaveAfter: 0 });
  await heard('ended');
  expect(door.state().trouble).toBe(null);
});
