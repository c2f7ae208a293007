/**
 * What makes a dispatch this one and no other (XP-6), and where its instruction comes from, in four
 * fields that are never mixed (XP-7). All of it follows from what is stored: the same claim is
 * answered with the same identity, by whatever process.
 */
import type { Definition } from '../domain/definition/definition.ts';
import { agentOf } from '../domain/execution/agent.ts';
import type { Execution } from '../domain/execution/state.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { DispatchIdentity, Implementation } from '../ports/plane.ts';
import { utf8Length } from './utf8.ts';

interface Facts {
  readonly execution: Execution;
  readonly definition: Definition;
  readonly hints: readonly string[];
  readonly prompt: string;
  readonly version: string | null;
}

export async function identityOf(
  artifacts: Pick<Artifacts, 'put'>,
  { execution, definition, hints, prompt, version }: Facts,
): Promise<DispatchIdentity> {
  const { intent, source } = definition;
  const { originalIntent, inferredGoal, addedContext, verificationPlan } = intent;
  return {
    dispatchId: dispatchIdOf(execution),
    idempotencyKey: `pawl:${dispatchIdOf(execution)}`,
    implementation: implementationOf(definition, execution, version),
    source: { isolation: source.isolation, base: source.base },
    intent: {
      originalHumanIntent: originalIntent,
      inferredGoal,
      addedContext: [...addedContext, ...hints],
      verificationPlan,
    },
    instruction: prompt === '' ? null : await instructionOf(artifacts, prompt),
    capabilities: capabilitiesOf(definition, execution),
    credentials: Object.keys(definition.secrets).sort(),
  };
}

/** An execution is dispatched once, and its id is never used again. */
export const dispatchIdOf = ({ id, dispatchedAt }: Pick<Execution, 'id' | 'dispatchedAt'>) =>
  `${id}:${dispatchedAt}`;

export function implementationOf(
  { roles }: Pick<Definition, 'roles'>,
  { job }: Pick<Execution, 'job'>,
  version: string | null,
): Implementation {
  const role = agentOf(roles, job.role);
  if (role === null) return { profile: 'test', adapter: 'checks', version };
  return { profile: job.profile ?? role.profile, adapter: role.agent, version };
}

/** What whoever takes it must have: an adapter that it does not have makes a lane of nothing. */
export function capabilitiesOf(
  { roles, source }: Pick<Definition, 'roles' | 'source'>,
  { job }: Pick<Execution, 'job'>,
): readonly string[] {
  const agent = agentNeeded({ roles }, job.role);
  return [
    `role:${job.role}`,
    ...(agent === null ? [] : [agent]),
    // The folder of its starter is on one machine alone, which no worker offers.
    source.isolation === 'worktree' ? 'git' : 'folder',
  ];
}

/** The capability that stands for the agent of a role; null: it needs none. */
export function agentNeeded(
  { roles }: Pick<Definition, 'roles'>,
  job: Execution['job']['role'],
): string | null {
  const role = agentOf(roles, job);
  return role === null ? null : `agent:${role.command === null ? role.agent : 'command'}`;
}

async function instructionOf(artifacts: Pick<Artifacts, 'put'>, prompt: string) {
  return { digest: await artifacts.put(prompt, 'prompt'), bytes: utf8Length(prompt) };
}
