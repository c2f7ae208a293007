/**
 * `webhook:…`: one POST of `pawl.notice/1`. With a key the body is signed, GitHub's way:
 * `x-pawl-signature: sha256=<HMAC of the body>`; `sentAt` is in the body and so is signed too. The
 * same notice has the same `x-pawl-delivery`, so that a receiver can drop what it has.
 */
import { createHmac } from 'node:crypto';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Delivery, Notice } from '../ports/notifier.ts';
import type { NoticeTarget } from '../ports/words.ts';
import { noticeBody } from './body.ts';
import { post } from './post.ts';
import type { World } from './world.ts';

type Webhook = Extract<NoticeTarget, { readonly kind: 'webhook' }>;

export const isReference = (text: string): boolean => /^(env|file|command):/.test(text);

/** @throws what `resolve` throws. */
export async function byWebhook(
  notice: Notice,
  { url, secret }: Webhook,
  world: World,
  signal: CancelSignal,
): Promise<Delivery> {
  const address = isReference(url) ? await world.resolve(url) : url;
  const key = secret === null ? null : await world.resolve(secret);
  const sentAt = world.clock.now();
  const body = noticeBody(notice, sentAt);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'pawl',
    'x-pawl-delivery': notice.id,
    'x-pawl-timestamp': `${Math.floor(sentAt / 1_000)}`,
    ...(key === null ? {} : { 'x-pawl-signature': signatureOf(body, key) }),
  };
  return await post({ url: address, headers, body }, world, signal);
}

export const signatureOf = (body: string, key: string): string =>
  `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
