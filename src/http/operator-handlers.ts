/** What each operation does: the Client's method of that name, by whom the token proves. */
import type * as z from 'zod';
import type { OperationName, Operations } from '../contract/operator/operations.ts';
import { RequestError } from '../kernel/errors.ts';
import type { TokenVerb } from '../kernel/token-verbs.ts';
import type { Client, RunView } from '../ports/client.ts';
import type { ApprovalId, Digest, ExecutionId, Principal, RunId } from '../ports/words.ts';
import type { PruneItem } from '../ports/workspace.ts';
import { atGate, type Caller, needsHuman } from './callers.ts';
import type { OperatorOptions } from './operator-options.ts';

export interface Input<N extends OperationName> {
  readonly params: z.output<Operations[N]['params']>;
  readonly query: z.output<Operations[N]['query']>;
  readonly body: z.output<Operations[N]['body']>;
}

/** Those whose answer is JSON. */
export type JsonOperation = Exclude<OperationName, 'follow' | 'artifact'>;
export type Handlers = {
  readonly [N in JsonOperation]: (input: Input<N>, caller: Caller) => Promise<unknown>;
};

const eventsUsual = 200;
const runsUsual = 50;

export function operatorHandlers(options: OperatorOptions): Handlers {
  return {
    ...steering(options),
    ...gates(options),
    ...reads(options),
    drain: async (_input, { principal }) => {
      if (principal.kind !== 'human') {
        throw new RequestError('human_required', 'only a human asks a server to leave', {
          next: 'ask the operator to run:  pawl serve --drain',
        });
      }
      options.drain();
      return { draining: true };
    },
  };
}

type Named<N extends JsonOperation> = Pick<Handlers, N>;

function steering(
  options: OperatorOptions,
): Named<'start' | 'hint' | 'pause' | 'cancel' | 'recordRefusal' | 'ensureDriver'> {
  const { client } = options;
  return {
    start: async ({ body }, { principal }) => {
      takesWork(options);
      await mustHaveProject(options, body.definition.project.root);
      const resumedFrom = body.resumedFrom as RunId | null;
      return client.start({ ...body, resumedFrom }, principal);
    },
    hint: async ({ params, body }, { principal }) =>
      client.hint(await idOf(client, params.run), body.text, principal, body.when),
    pause: async ({ params, body }, { principal }) =>
      client.pause(await idOf(client, params.run), body.now, principal),
    cancel: async ({ params, body }, { principal }) =>
      client.cancel(await idOf(client, params.run), body.note, principal, body.now),
    recordRefusal: async ({ params, body }, caller) => {
      await client.recordRefusal(await idOf(client, params.run), body.command, refusedAs(caller));
      return {};
    },
    ensureDriver: async () => {
      await client.ensureDriver();
      return {};
    },
  };
}

/** Whoever was refused is recorded as what his token proves, and never as a human. */
const refusedAs = ({ principal, token }: Caller): Principal =>
  principal.kind === 'human'
    ? { kind: 'automation', actor: token.by.slice(0, 100), channel: 'token', ancestry: null }
    : principal;

function gates(
  options: OperatorOptions,
): Named<
  | 'resolveGate'
  | 'answer'
  | 'consult'
  | 'accept'
  | 'resume'
  | 'retry'
  | 'recordLanding'
  | 'land'
  | 'prune'
> {
  const { client } = options;
  const passed = async (caller: Caller, verb: TokenVerb, reference: string) => {
    const run = await client.find({ text: reference, project: null });
    return { run, principal: await human(client, caller, { verb, run }) };
  };
  return {
    resolveGate: async ({ params, body }, caller) => {
      const verb = body.outcome === 'approved' ? 'approve' : 'reject';
      const { run, principal } = await passed(caller, verb, params.run);
      return client.resolveGate(
        run.id,
        { ...body, approval: body.approval as ApprovalId | null },
        principal,
      );
    },
    answer: async ({ params, body }, caller) => {
      const { run, principal } = await passed(caller, 'answer', params.run);
      return client.answer(run.id, body.text, principal);
    },
    consult: async ({ params, body }, caller) => {
      const { run, principal } = await passed(caller, 'consult', params.run);
      takesWork(options);
      return client.consult(run.id, body.profiles, principal);
    },
    accept: async ({ params, body }, caller) => {
      const { run, principal } = await passed(caller, 'accept', params.run);
      return client.accept(run.id, body.reason, principal);
    },
    resume: async ({ params, body }, caller) => {
      const { run, principal } = await passed(caller, 'resume', params.run);
      takesWork(options);
      return client.resume(run.id, body, principal);
    },
    retry: async ({ params, body }, caller) => {
      const run = await client.find({ text: params.run, project: null });
      const isGate = run.status === 'needs_operator';
      const principal = isGate
        ? await human(client, caller, { verb: 'retry', run })
        : caller.principal;
      takesWork(options);
      await mustHaveProject(options, body.definition.project.root);
      return client.retry(run.id, body, principal);
    },
    recordLanding: async ({ params, body }, caller) => {
      const { run, principal } = await passed(caller, 'land', params.run);
      return client.recordLanding(run.id, body, principal);
    },
    land: async ({ params, body }, caller) => {
      const { run, principal } = await passed(caller, 'land', params.run);
      await mustHaveProject(options, run.project);
      return client.land(run.id, body, principal);
    },
    prune: async ({ body }, caller) => {
      const principal = await human(client, caller, { verb: 'prune', run: null });
      return client.prune(await offered(client, body.items), principal);
    },
  };
}

/** Paths are removed because the server offered them, never because somebody named them. */
async function offered(
  client: Client,
  asked: readonly { readonly path: string; readonly run: string | null }[],
): Promise<readonly PruneItem[]> {
  const all = await client.prunable({ project: null, olderThanMs: null, landedOnly: false });
  return asked.map(({ path, run }) => {
    const item = all.find((one) => one.path === path && one.run === run);
    if (item !== undefined) return item;
    throw new RequestError('bad_value', 'this may not be removed, or no longer', {
      where: 'body.items',
      found: path.slice(0, 300),
      next: 'pawl prune --dry-run',
    });
  });
}

function reads(
  options: OperatorOptions,
): Named<
  | 'token'
  | 'list'
  | 'find'
  | 'show'
  | 'events'
  | 'definition'
  | 'log'
  | 'drivers'
  | 'audit'
  | 'prunable'
> {
  const { client } = options;
  return {
    token: async (_input, { token }) => token,
    list: async ({ query }) => ({
      runs: await client.list({
        project: query.project ?? null,
        open: query.open ?? false,
        status: query.status ?? [],
        since: (query.since ?? null) as Parameters<Client['list']>[0]['since'],
        limit: query.limit ?? runsUsual,
        demo: query.demo ?? false,
      }),
    }),
    find: ({ query }) => client.find({ text: query.text, project: query.project ?? null }),
    show: ({ params }) => client.find({ text: params.run, project: null }),
    events: async ({ params, query }) => {
      const { after = 0, limit = eventsUsual } = query;
      // A run that does not exist has no events; who begins to read is told so.
      const run = after === 0 ? await idOf(client, params.run) : (params.run as RunId);
      return { events: await client.events(run, after, limit) };
    },
    definition: async ({ params }) => client.definition(await idOf(client, params.run)),
    log: ({ params, query }) =>
      client.log(params.execution as ExecutionId, query.after ?? 0, query.limit ?? eventsUsual),
    drivers: async () => ({ drivers: await client.drivers() }),
    audit: () => client.audit(),
    prunable: async ({ query }) => ({
      items: await client.prunable({
        project: query.project ?? null,
        olderThanMs: query.olderThanMs ?? null,
        landedOnly: query.landedOnly ?? false,
      }),
    }),
  };
}

/** @throws RequestError `artifact_missing`. */
export async function artifactOf(client: Client, digest: string): Promise<Uint8Array> {
  const bytes = await client.artifact(digest as Digest);
  if (bytes !== null) return bytes;
  throw new RequestError('artifact_missing', 'no artifact of that digest is here', {
    where: 'path.digest',
    found: digest,
  });
}

export const idOf = async (client: Client, reference: string): Promise<RunId> =>
  (await client.find({ text: reference, project: null })).id;

/** @throws RequestError `human_required`; the refusal is recorded on the run first. */
async function human(
  client: Client,
  caller: Caller,
  gate: { readonly verb: TokenVerb; readonly run: RunView | null },
): Promise<Principal> {
  const { isHuman, principal } = atGate(caller, gate.verb);
  if (isHuman) return principal;
  if (gate.run !== null) await client.recordRefusal(gate.run.id, gate.verb, principal);
  throw needsHuman(caller, gate.verb, gate.run?.short ?? null);
}

function takesWork({ isDraining }: OperatorOptions): void {
  if (!isDraining()) return;
  throw new RequestError('server_draining', 'this server takes no new work: it is leaving');
}

async function mustHaveProject({ hasProject }: OperatorOptions, root: string): Promise<void> {
  if (await hasProject(root)) return;
  throw new RequestError('project_elsewhere', 'the server has no such project', { found: root });
}
