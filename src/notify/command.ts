/** `command:./notify.sh`: the facts as environment, and as JSON on stdin. */
import { ownSecrets } from '../kernel/own-secrets.ts';
import type { Delivery, Notice } from '../ports/notifier.ts';
import { noticeBody, noticeEnvironment } from './body.ts';
import type { World } from './world.ts';

const timeoutMs = 30_000;

/** What must not reach a program that is started for a notice. */
const withheld = new Set([...ownSecrets, 'PAWL_EXECUTION']);

export async function byCommand(
  notice: Notice,
  argv: readonly string[],
  { env, execute, clock }: Pick<World, 'env' | 'execute' | 'clock'>,
): Promise<Delivery> {
  const { ok, detail } = await execute({
    argv,
    cwd: notice.directory,
    env: { ...ownEnvironment(env), ...noticeEnvironment(notice) },
    stdin: `${noticeBody(notice, clock.now())}\n`,
    timeoutMs,
  });
  return { state: ok ? 'delivered' : 'not_delivered', detail };
}

export function ownEnvironment(env: World['env']): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !withheld.has(name)) kept[name] = value;
  }
  return kept;
}
