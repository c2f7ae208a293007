/**
 * `notify` of the file form to the canonical one and back (UX 4.2): `desktop`, `ntfy:<url>`,
 * `webhook:<url or reference>`, `command:<argv>`, or a map where a key or a token belongs to it.
 */
import { quotedWord, splitArgv } from '../kernel/argv.ts';
import { RequestError } from '../kernel/errors.ts';
import type { NoticeTargetValue, NotifyValue } from './definition.ts';
import type { DefinitionFile } from './definition-file.ts';
import type { Merged } from './merge.ts';
import { valueAt } from './value-path.ts';

type NotifyFile = NonNullable<DefinitionFile['notify']>;
type TargetFile = NotifyFile['to'][number];

const everyKind: NotifyValue['on'] = ['needs_operator', 'waiting_human', 'complete', 'limit'];

/** Nothing when nobody is to be told. Every problem is added to `problems`. */
export function notifyOf(
  merged: Merged,
  problems: RequestError[],
): { readonly notify?: NotifyValue } {
  const file = merged.value.notify;
  if (file === undefined) return {};
  const layer = merged.origin(['notify', 'to']);
  const to = file.to.map((target) => targetOf(target));
  for (const [index, target] of to.entries()) {
    if (target !== null) continue;
    problems.push(
      new RequestError('bad_value', `"notify.to[${index}]" names no place to tell`, {
        where: layer?.where(['notify', 'to', index]) ?? '',
        found: String(valueAt(file, ['to', index])),
        allowed: 'desktop, ntfy:https://…, webhook:https://… or webhook:env:NAME, command:<argv>',
        next: 'correct it, and try:  pawl config check',
      }),
    );
  }
  return { notify: { on: file.on ?? everyKind, to: to.filter((target) => target !== null) } };
}

/** Null when the text is none of the four. */
export function targetOf(target: TargetFile): NoticeTargetValue | null {
  if (typeof target === 'string') return fromText(target);
  if ('webhook' in target) {
    if (!isAddress(target.webhook)) return null;
    return { kind: 'webhook', url: target.webhook, secret: target.secret ?? null };
  }
  return isUrl(target.ntfy)
    ? { kind: 'ntfy', url: target.ntfy, token: target.token ?? null }
    : null;
}

function fromText(text: string): NoticeTargetValue | null {
  if (text === 'desktop') return { kind: 'desktop' };
  const colon = text.indexOf(':');
  const rest = text.slice(colon + 1);
  switch (text.slice(0, Math.max(0, colon))) {
    case 'ntfy':
      return isUrl(rest) ? { kind: 'ntfy', url: rest, token: null } : null;
    case 'webhook':
      return isAddress(rest) ? { kind: 'webhook', url: rest, secret: null } : null;
    case 'command': {
      const argv = splitArgv(rest);
      return argv.ok ? { kind: 'command', argv: argv.value } : null;
    }
    default:
      return null;
  }
}

const isUrl = (text: string): boolean => /^https?:\/\/[^\s/]+/.test(text);
const isAddress = (text: string): boolean => isUrl(text) || /^(env|file|command):.+/.test(text);

/** A snapshot's policy as a file would say it. */
export function notifyFile({ notify }: { readonly notify?: NotifyValue }): {
  readonly notify?: NotifyFile;
} {
  if (notify === undefined) return {};
  return { notify: { on: [...notify.on], to: notify.to.map(targetFile) } };
}

function targetFile(target: NoticeTargetValue): TargetFile {
  switch (target.kind) {
    case 'desktop':
      return 'desktop';
    case 'ntfy':
      return { ntfy: target.url, ...(target.token === null ? {} : { token: target.token }) };
    case 'webhook':
      return { webhook: target.url, ...(target.secret === null ? {} : { secret: target.secret }) };
    case 'command':
      return `command:${target.argv.map(quotedWord).join(' ')}`;
  }
}
