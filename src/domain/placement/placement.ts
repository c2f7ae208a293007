/**
 * Where a job may be done. What a definition asks for is copied into the terms of its run; what one
 * job needs is decided when it is dispatched and travels with it, so that an offer, a claim and
 * whoever looks on read the same.
 *
 * Invariants (placement.test.ts):
 *   P1. A worker takes a job only when it has every label that the job needs.
 *   P2. With `verify.on: other-worker` the worker that made the work never verifies it.
 *   P3. What can be carried to no worker is done by hosts of the server itself alone.
 */
import type { ExecutionRole, Placement } from '../execution/state.ts';
import type { ResumePoint, RunFacts, RunTerms } from '../run/state.ts';

export interface Worker {
  readonly id: string;
  readonly labels: readonly string[];
  /** It is a host of the server itself, beside the repository. */
  readonly isOwn?: true;
}

type Facts = Pick<RunFacts, 'terms' | 'madeBy' | 'on' | 'here'>;

/** What a job of that role needs now; null: it may be done anywhere. */
export function placementOf(
  { terms, madeBy, on, here }: Facts,
  role: ExecutionRole,
): Placement | null {
  const labels = labelsOf(terms, role);
  const isApart = terms.placement?.verifyOn === 'other-worker';
  const isChecked = role === 'verify' || role === 'judge';
  const not = isApart && isChecked ? madeBy : undefined;
  // Where a human sent the run, but not to judge there what was made there.
  // Nor is anybody asked there alone why it stopped.
  const pinned = role !== 'consult' && on !== not ? on : undefined;
  const needed = {
    ...(labels.length === 0 ? {} : { labels }),
    ...(not === undefined ? {} : { not }),
    ...(pinned === undefined ? {} : { on: pinned }),
    ...(here === undefined ? {} : { here }),
  };
  return Object.keys(needed).length === 0 ? null : needed;
}

function labelsOf({ placement, checker }: RunTerms, role: ExecutionRole): readonly string[] {
  if (placement === undefined) return [];
  const { labels = [], execute = [], judge = [] } = placement;
  // A council has the agent that judges, where there is one.
  const as = role !== 'consult' ? role : checker === null ? 'execute' : 'judge';
  const own = as === 'execute' ? execute : as === 'judge' ? judge : [];
  return [...new Set([...labels, ...own])];
}

/** The role of the job that comes at this point. */
export function roleAt(point: ResumePoint, { terms }: Pick<RunFacts, 'terms'>): ExecutionRole {
  if (point.job !== 'verify') return point.job;
  return terms.steps[point.step]?.kind === 'judge' ? 'judge' : 'verify';
}

/** Whether this worker may take a job that needs that. */
export function mayTake(placement: Placement | undefined, { id, labels, isOwn }: Worker): boolean {
  if (placement === undefined) return true;
  const { labels: needed = [], on = id, not, here = isOwn } = placement;
  return (
    here === isOwn && on === id && not !== id && needed.every((label) => labels.includes(label))
  );
}

/** What is waited for: `a worker with label gpu`. */
export function placementWords({ labels = [], on, not, here }: Placement): string {
  if (here === true) return 'a host of the server itself';
  const named = on === undefined ? `${not === undefined ? 'a' : 'another'} worker` : `worker ${on}`;
  const than = not === undefined ? '' : ` than ${not}, which made the work`;
  const word = labels.length === 1 ? 'label' : 'labels';
  return `${named}${than}${labels.length === 0 ? '' : `, with ${word} ${labels.join(', ')}`}`.replace(
    /^(a worker), with/,
    '$1 with',
  );
}
