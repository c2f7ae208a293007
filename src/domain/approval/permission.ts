/**
 * What a lane asks leave for, and what a human's yes is good for.
 *
 * Invariants:
 *   A3. A yes is for exactly the call that was shown: the same arguments, the same tool of the same
 *       agent. The policy is the run's definition, which never changes; a grant never leaves its
 *       run. Anything else is asked anew.
 *   A4. A yes for once answers one request of an execution; the same request again only in the
 *       execution that takes its place in the same turn, since nobody can tell whether the lane
 *       that died had made the call. A yes for the run answers every one.
 *   A5. What is forgotten is asked again, never allowed.
 */
import type { ApprovalId, ExecutionId } from '../ids.ts';

/** Bounded, and without the arguments themselves: those stay with the agent. */
export interface PermissionAsk {
  /** Its name within its execution. */
  readonly request: string;
  readonly tool: string | null;
  /** One redacted line. */
  readonly title: string;
  /** Digest of the tool with its arguments. */
  readonly args: string;
  /** Digest of who offers the tool: the agent, its version, the tool's name. */
  readonly definition: string;
}

export type PermissionDecision = 'allow' | 'deny';

export interface PermissionGrant {
  readonly approval: ApprovalId;
  readonly args: string;
  readonly definition: string;
  readonly scope: 'once' | 'run';
  /** Who was answered with it last. */
  readonly execution: ExecutionId;
}

/** Of one run; the oldest is forgotten (A5). */
export const grantsKept = 100;

interface Call {
  readonly ask: Pick<PermissionAsk, 'args' | 'definition'>;
  readonly execution: ExecutionId;
}

/** The yes that answers this request; null: a human is asked. */
export function grantFor(
  grants: readonly PermissionGrant[],
  { ask, execution }: Call,
): PermissionGrant | null {
  const fits = (one: PermissionGrant): boolean =>
    one.args === ask.args && one.definition === ask.definition;
  const isGood = (one: PermissionGrant): boolean =>
    one.scope === 'run' || one.execution !== execution;
  return grants.findLast((one) => fits(one) && isGood(one)) ?? null;
}

/** With a yes that was given, or used by another execution. */
export function withGrant(
  grants: readonly PermissionGrant[],
  grant: PermissionGrant,
): readonly PermissionGrant[] {
  return [...grants.filter(({ approval }) => approval !== grant.approval), grant].slice(
    -grantsKept,
  );
}

/** What is left of them when a turn has ended (A4). */
export const grantsAfterTurn = (grants: readonly PermissionGrant[]): readonly PermissionGrant[] =>
  grants.filter(({ scope }) => scope === 'run');
