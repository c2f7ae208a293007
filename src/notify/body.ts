/** A notice as programs read it: `pawl.notice/1`. The same facts as environment and as JSON. */
import type { Notice } from '../ports/notifier.ts';

/**
 * Fields are only added within a version. `sentAt` is a part of it, so that a signature covers it.
 */
export function noticeBody(notice: Notice, sentAt: number): string {
  const { id, kind, run, title, text, until, command } = notice;
  return JSON.stringify({
    schema: 'pawl.notice/1',
    id,
    kind,
    at: new Date(notice.at).toISOString(),
    sentAt: new Date(sentAt).toISOString(),
    run,
    title,
    text,
    until: until === null ? null : new Date(until).toISOString(),
    command,
  });
}

/** As a person reads it: what, until when (local time), and what to type. */
export function noticeText({ text, until, command }: Notice): string {
  const end = until === null ? '' : ` until ${timeOf(new Date(until))}`;
  return `${text}${end}\n${command}`;
}

const timeOf = (at: Date): string =>
  [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');

/** Only facts: nothing here is meant to be run by a shell. */
export function noticeEnvironment(notice: Notice): Readonly<Record<string, string>> {
  const { run } = notice;
  return {
    PAWL_NOTICE: notice.kind,
    PAWL_NOTICE_ID: notice.id,
    PAWL_NOTICE_TITLE: notice.title,
    PAWL_NOTICE_TEXT: notice.text,
    PAWL_NOTICE_COMMAND: notice.command,
    PAWL_NOTICE_RUN: run?.short ?? '',
    PAWL_NOTICE_NAME: run?.name ?? '',
    PAWL_NOTICE_PROJECT: run?.project ?? '',
    PAWL_NOTICE_STATUS: run?.status ?? '',
    PAWL_NOTICE_REASON: run?.reason ?? '',
  };
}
