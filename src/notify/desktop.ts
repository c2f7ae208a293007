/** A notification of the desktop, where there is one (UX §8: else "not available" is said). */
import type { Delivery, Notice } from '../ports/notifier.ts';
import { noticeText } from './body.ts';
import { ownEnvironment } from './command.ts';
import type { World } from './world.ts';

const timeoutMs = 10_000;

/** Texts are arguments of the script, never a part of it. */
const script = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
].flatMap((line) => ['-e', line]);

export async function byDesktop(notice: Notice, world: World): Promise<Delivery> {
  const argv = argvFor(notice, world);
  if (typeof argv === 'string') return { state: 'not_delivered', detail: argv };
  const { ok, detail } = await world.execute({
    argv,
    cwd: '/',
    env: ownEnvironment(world.env),
    stdin: '',
    timeoutMs,
  });
  return ok
    ? { state: 'delivered', detail: `shown by ${argv[0]}` }
    : { state: 'not_delivered', detail: `${argv[0]}: ${detail}` };
}

/** The argv, or why there is none. */
function argvFor(notice: Notice, { platform, env, finds }: World): readonly string[] | string {
  const text = noticeText(notice);
  if (platform === 'darwin') {
    return finds('osascript') ? ['osascript', ...script, notice.title, text] : missing('osascript');
  }
  if (platform === 'win32') return 'not available on Windows';
  const hasDisplay = [env['DISPLAY'], env['WAYLAND_DISPLAY']].some(
    (name) => name !== undefined && name !== '',
  );
  if (!hasDisplay) return 'no display';
  if (!finds('notify-send')) return missing('notify-send');
  const urgency = notice.kind === 'needs_operator' ? 'critical' : 'normal';
  return ['notify-send', '--app-name=pawl', `--urgency=${urgency}`, '--', notice.title, text];
}

const missing = (program: string): string => `not available: there is no ${program}`;
