/** Of `pawl doctor`: the project here, and whether notices arrive. */
import { checkLayers } from '../contract/check-layers.ts';
import { mergeLayers } from '../contract/merge.ts';
import { notifyOf } from '../contract/notify.ts';
import { ConfigError, RequestError } from '../kernel/errors.ts';
import type { Health, HealthCheck } from '../ports/health.ts';
import type { Notice } from '../ports/notifier.ts';
import type { Instant, NoticeTarget } from '../ports/words.ts';
import type { Context } from './command.ts';
import { plural } from './format.ts';
import { readSettings, type Settings } from './settings.ts';

export type Read =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly RequestError[] };

/** Without throwing for what stands in a file. */
export async function settingsHere(context: Context): Promise<Read> {
  try {
    return { ok: true, settings: await readSettings(context, await context.projectRoot()) };
  } catch (error: unknown) {
    if (error instanceof ConfigError) return { ok: false, problems: error.problems };
    if (error instanceof RequestError) return { ok: false, problems: [error] };
    throw error;
  }
}

export async function projectSection(context: Context): Promise<HealthCheck[]> {
  const { called } = context;
  const read = await settingsHere(context);
  if (!read.ok) return [invalid(read.problems, called)];
  const { layers, projectFile } = read.settings;
  const merged = mergeLayers(layers);
  const { problems } = checkLayers(layers);
  if (problems.length > 0) return [invalid(problems, called)];
  const file: HealthCheck =
    projectFile === null
      ? { id: 'project.file', state: 'warn', detail: 'no pawl.yaml here', next: `${called} init` }
      : { id: 'project.file', state: 'ok', detail: 'pawl.yaml valid', next: null };
  const { criteria, protected: kept } = merged.value;
  return [file, checksCheck(criteria?.length ?? 0, called), protectedCheck(kept)];
}

function invalid(problems: readonly RequestError[], called: string): HealthCheck {
  const [first] = problems;
  const where = first?.details.where ?? '';
  const detail = `${plural(problems.length, 'problem')}: ${where} ${first?.message ?? ''}`;
  return { id: 'project.file', state: 'fail', detail, next: `${called} config check` };
}

function checksCheck(count: number, called: string): HealthCheck {
  const id = 'project.checks';
  if (count > 0) {
    // Whether they can run is not tried here: that may take as long as they do.
    const detail = `${plural(count, 'check')} named, not tried`;
    return { id, state: 'unknown', detail, next: `${called} checks --run` };
  }
  const detail = 'no check is named: each run looks for them anew';
  return { id, state: 'warn', detail, next: `${called} init` };
}

function protectedCheck(kept: readonly string[] | undefined): HealthCheck {
  const id = 'project.protected';
  if (kept !== undefined && kept.length > 0) {
    return { id, state: 'ok', detail: `protected: ${kept.length}`, next: null };
  }
  const detail = 'protected is empty: tests may be edited to pass';
  return { id, state: 'warn', detail, next: 'protected: [ "test/golden/**" ] in pawl.yaml' };
}

const never = new AbortController().signal;

/** A test message to each place: whether it arrives is only known by sending one. */
export async function notifySection(context: Context, health: Health): Promise<HealthCheck[]> {
  const read = await settingsHere(context);
  const problems: RequestError[] = [];
  if (!read.ok) {
    const detail = 'whom notices go to is not known: the settings here are not valid';
    const next = `${context.called} config check`;
    return [{ id: 'notify.config', state: 'unknown', detail, next }];
  }
  const policy = notifyOf(mergeLayers(read.settings.layers), problems).notify;
  if (problems.length > 0) {
    const [{ message = '' } = {}] = problems;
    const next = `${context.called} config check`;
    return [{ id: 'notify.config', state: 'fail', detail: message, next }];
  }
  if (policy === undefined) {
    const detail = 'nobody is told when a run needs you';
    const next = 'notify: { to: [ desktop ] } in pawl.yaml or your config.yaml';
    return [{ id: 'notify.none', state: 'warn', detail, next }];
  }
  const notifier = health.notifier();
  const notice = trial(context, await context.projectRoot());
  return Promise.all(
    policy.to.map(async (target, i): Promise<HealthCheck> => {
      const label = notifier.label(target);
      const { state, detail } = await notifier.deliver(notice, target, never);
      const isSent = state === 'delivered';
      const variables = variablesOf(target);
      if (isSent && variables.length > 0) return ownOfDriver(`notify.${i}`, label, variables);
      return {
        id: `notify.${i}`,
        state: isSent ? 'ok' : 'fail',
        detail: isSent ? `${label} (test sent)` : `${label}: not delivered: ${detail}`,
        next: isSent ? null : 'correct notify.to in pawl.yaml or your config.yaml',
      };
    }),
  );
}

/** Names that the driver reads in its own environment when it sends. */
function variablesOf(target: NoticeTarget): readonly string[] {
  const references =
    target.kind === 'webhook'
      ? [target.url, target.secret]
      : target.kind === 'ntfy'
        ? [target.token]
        : [];
  return references.flatMap((text) => (text?.startsWith('env:') === true ? [text.slice(4)] : []));
}

/** What this shell has says nothing about the driver, which may come from another one. */
function ownOfDriver(id: string, label: string, variables: readonly string[]): HealthCheck {
  const names = variables.join(', ');
  return {
    id,
    state: 'unknown',
    detail: `${label} (test sent from this shell; the driver may lack ${names})`,
    next: `start the driver where ${names} is set, or use file: or command: in notify.to`,
  };
}

const trial = (context: Context, directory: string): Notice => ({
  id: 'test',
  kind: 'test',
  at: context.io.now() as Instant,
  run: null,
  title: 'pawl: a test',
  text: 'sent by doctor; nothing needs you',
  until: null,
  command: `${context.called} status`,
  directory,
});
