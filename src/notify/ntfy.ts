/** `ntfy:https://ntfy.sh/<topic>`: title and priority as headers, the text as the body. */
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Delivery, Notice } from '../ports/notifier.ts';
import type { NoticeTarget } from '../ports/words.ts';
import { noticeText } from './body.ts';
import { post } from './post.ts';
import type { World } from './world.ts';

type Ntfy = Extract<NoticeTarget, { readonly kind: 'ntfy' }>;

const looks: Readonly<Record<Notice['kind'], { readonly priority: string; readonly tag: string }>> =
  {
    needs_operator: { priority: 'high', tag: 'warning' },
    waiting_human: { priority: 'default', tag: 'question' },
    complete: { priority: 'default', tag: 'white_check_mark' },
    limit: { priority: 'low', tag: 'hourglass' },
    test: { priority: 'low', tag: 'bell' },
  };

/** @throws what `resolve` throws. */
export async function byNtfy(
  notice: Notice,
  { url, token }: Ntfy,
  world: World,
  signal: CancelSignal,
): Promise<Delivery> {
  const { priority, tag } = looks[notice.kind];
  const secret = token === null ? null : await world.resolve(token);
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    title: encoded(notice.title),
    priority,
    tags: tag,
    ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
  };
  return await post({ url, headers, body: noticeText(notice) }, world, signal);
}

/** A header holds ASCII alone; ntfy reads RFC 2047. */
const encoded = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
