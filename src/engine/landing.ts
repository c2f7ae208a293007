/**
 * Landing: a human's act (DESIGN §8). The work goes to a branch by {@link Workspace.land}, after
 * the runtime's own checks have judged the merged tree; whoever does without that is recorded so.
 * Only what landed is recorded.
 */
import type { Definition } from '../domain/definition/definition.ts';
import type { Commit, Digest, ExecutionId } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import { RequestError } from '../kernel/errors.ts';
import { fieldsOf, parsedJson } from '../kernel/json.ts';
import type { Checks } from '../ports/checks.ts';
import type { Client, LandOptions, RunView } from '../ports/client.ts';
import type { Landing, LandRequest, Workspace } from '../ports/workspace.ts';
import { conditionOf } from './artifact-text.ts';
import { fromBase64 } from './base64.ts';
import type { OperatorEdge } from './operator-edge.ts';
import { proposalText } from './proposal-text.ts';
import type { Tell } from './teller.ts';
import { utf8 } from './utf8.ts';

export interface LandingOptions {
  readonly client: Pick<Client, 'find' | 'definition'>;
  readonly tell: Tell;
  readonly edge: OperatorEdge;
  readonly workspace: () => Promise<Workspace>;
  readonly checks: () => Promise<Checks>;
  /** The signed envelope; null when it was pruned. */
  readonly receipt: (digest: Digest) => Promise<string | null>;
}

export function landing(options: LandingOptions): Pick<Client, 'land'> {
  const { client, tell, edge } = options;
  return {
    land: async (id, request, principal) => {
      const run = await client.find({ text: id, project: null });
      await edge.human('land', run.id, principal);
      const definition = await client.definition(run.id);
      const landed = await bring(options, { run, definition, request });
      if (landed.ok) {
        const { commit, into, method, reverified, proposal } = landed;
        const url = proposal?.url ?? null;
        await tell(run.id, principal, {
          ...{ type: 'record_landing', commit, into, method, reverified },
          ...(url === null ? {} : { url }),
          ...(request.keep === true ? { kept: true } : {}),
        });
      }
      return landed;
    },
  };
}

interface Asked {
  readonly run: RunView;
  readonly definition: Definition;
  readonly request: LandOptions;
}

/** A pull request is judged like a landing, on the merged result; then it is others who land it. */
async function bring(options: LandingOptions, asked: Asked): Promise<Landing> {
  const { run, definition, request } = asked;
  const { method } = request;
  const verify = request.reverify ? await verifier(options, run, definition) : null;
  const workspace = await options.workspace();
  const what = landable(run, definition, request);
  await mustBeVerified(options, run, workspace);
  if (method !== 'pr') {
    const keep = request.keep === true;
    return workspace.land({ ...what, method, verify, ...(keep ? { keep } : {}) });
  }
  const remote = await workspace.remote(what.root, what.into);
  if (remote === null) throw noRemote(run);
  const judged = await workspace.land({ ...what, method: 'merge', verify, judgeOnly: true });
  if (!judged.ok) return judged;
  const { into, reverified, moved } = judged;
  const receipt = run.receipt === null ? null : await options.receipt(run.receipt);
  const facts = { run, definition, message: request.message, receipt };
  const text = proposalText({ ...facts, merged: { into, reverified, moved } });
  const { root, branch, head } = what;
  const proposal = await workspace.propose({
    root,
    run: run.id,
    remote,
    branch,
    head,
    into,
    ...text,
  });
  return { ...judged, commit: head, method, proposal };
}

/**
 * What lands is the tree that the receipt is about: no way through the program may part the two.
 * What a human accepted has no such promise.
 */
async function mustBeVerified(
  { receipt }: LandingOptions,
  run: RunView,
  workspace: Workspace,
): Promise<void> {
  const { head, verification, project } = run;
  if (verification !== 'passed' || run.receipt === null || head === null) return;
  const { receipt: digest } = run;
  const condition = await conditionOf(() => receipt(digest));
  const envelope = condition === 'whole' ? await receipt(digest) : null;
  if (envelope === null) throw lost(run, condition === 'damaged' ? 'damaged' : 'missing');
  const judged = judgedIn(envelope);
  if (judged === undefined) throw unreadable(run);
  if (judged === null || judged === head) return;
  if (await workspace.sameTree(project, judged, head)) return;
  const found = `${head.slice(0, 12)}; ${judged.slice(0, 12)} was verified`;
  throw new RequestError('land_refused', `${run.short} would land what was not verified`, {
    found,
    next: `pawl show ${run.short} --receipt`,
  });
}

/** The commit that a receipt is about; null where it names none, undefined for what is none. */
function judgedIn(envelope: string): Commit | null | undefined {
  const payload = fieldsOf(parsedJson(envelope))['payload'];
  if (typeof payload !== 'string') return undefined;
  const predicate = fieldsOf(fieldsOf(parsedJson(utf8(fromBase64(payload))))['predicate']);
  const { work } = predicate;
  if (work === null) return null;
  const commit = fieldsOf(work)['commit'];
  return typeof commit === 'string' ? (commit as Commit) : undefined;
}

const unreadable = ({ short, receipt }: RunView): RequestError =>
  new RequestError('land_refused', `the receipt of ${short} cannot be read`, {
    found: `${receipt}`,
    next: `pawl retry ${short} --from last`,
  });

const lost = ({ short, receipt }: RunView, how: 'damaged' | 'missing'): RequestError =>
  new RequestError('land_refused', `the receipt of ${short} is ${how}: nothing vouches for it`, {
    found: `${how === 'damaged' ? 'other bytes than those' : 'no bytes'} of ${receipt}`,
    so: 'it can be brought back from a backup, or the work be verified anew in another run',
    next: `pawl retry ${short} --from last`,
  });

const noRemote = ({ short }: RunView): RequestError =>
  new RequestError('land_refused', 'there is no remote that a branch could be pushed to', {
    next: `git remote add origin <url>   or  pawl land ${short}`,
  });

/** @throws RequestError `wrong_verb`, `land_refused`: what keeps this run from landing at all. */
function landable(
  run: RunView,
  definition: Definition,
  request: LandOptions,
): Omit<LandRequest, 'verify' | 'method'> {
  const { head, base, branch, short } = run;
  const into = request.into ?? run.baseBranch;
  if (run.status !== 'complete') {
    throw new RequestError('wrong_verb', `${short} is ${run.status}, not complete`, {
      next: `pawl show ${short}`,
      facts: { status: run.status, reason: run.reason },
    });
  }
  if (head === null || base === null || branch === null) {
    throw new RequestError('land_refused', `${short} has no recorded work on a branch`);
  }
  if (into === null) {
    throw new RequestError('land_refused', `${short} was started from no branch`, {
      next: `pawl land ${short} --into <branch>`,
    });
  }
  const { root } = definition.project;
  const message = request.message ?? `${definition.intent.originalIntent}\n\nRun: ${run.id}`;
  return { root, run: run.id, branch, head, base, into, message, always: true };
}

const never: CancelSignal = {
  aborted: false,
  addEventListener: () => {},
  removeEventListener: () => {},
};

/** Runs every criterion that the runtime itself can check; a person's look is not asked again. */
async function verifier(
  options: LandingOptions,
  run: RunView,
  definition: Definition,
): Promise<LandRequest['verify']> {
  const criteria = definition.criteria.flatMap(({ kind }, index) =>
    kind === 'manual' || kind === 'oracle' || kind === 'observer' ? [] : [index],
  );
  if (criteria.length === 0) return null;
  const checks = await options.checks();
  return async (commit: Commit) => {
    const verdict = await checks.verify({
      run: run.id,
      execution: `${run.id}.land` as ExecutionId,
      definition,
      commit,
      directory: null,
      signal: never,
      progress: () => {},
      restoreProtected: false,
      criteria,
    });
    return { passed: verdict.outcome === 'passed', summary: verdict.summary };
  };
}
