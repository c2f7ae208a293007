/**
 * Who works and who judges. Maker ≠ checker (ruling 4): the profile always differs; one program may
 * serve both roles as two profiles, in two executions with fresh sessions.
 */
import { RequestError } from '../kernel/errors.ts';
import { placeholders, unknownPlaceholders } from '../kernel/placeholders.ts';
import type { CriterionValue, RoleValue } from './definition.ts';
import type { DefinitionFile } from './definition-file.ts';
import {
  asksLeave,
  isKnown,
  knownNames,
  permissionsOf,
  usualOnPermission,
  usualPermissions,
} from './known-agents.ts';
import type { Merged } from './merge.ts';
import { modelsOf } from './models.ts';
import { nearest } from './nearest.ts';
import { startOf } from './own-agent.ts';
import { checkProfile, type JudgedKind, judgedKind, profileOf } from './profiles.ts';

const nobody: RoleValue = { profile: 'fixer', agent: 'none', command: null, model: null, args: [] };

export function rolesOf(
  merged: Merged,
  criteria: readonly CriterionValue[],
  problems: RequestError[],
): { readonly execute: RoleValue; readonly verify: RoleValue | null } {
  const execute = executeRole(merged, problems);
  const judged = judgedKind(criteria.map(({ kind }) => kind));
  const verify = verifyRole(merged, { execute, judged }, problems);
  if (judged !== null && verify === null) {
    problems.push(
      new RequestError(
        'verifier_missing',
        `a criterion of kind ${judged} needs an agent that judges it`,
        {
          where: placeOf(merged, ['criteria']),
          next: 'roles.verify: { profile: oracle }   or  --verify-agent <name[:model]>   or remove the criterion',
        },
      ),
    );
  }
  // One that is not there is told of already.
  const judge = judged === null ? undefined : verify?.agent;
  const isThere =
    judge !== undefined && (isKnown(judge) || merged.value.agents?.[judge] !== undefined);
  heldTo(merged, isThere ? judge : null, problems);
  canAsk(merged, problems);
  return {
    execute: { ...execute, ...modelsOf(merged, 'execute', problems) },
    verify: verify === null ? null : { ...verify, ...modelsOf(merged, 'verify', problems) },
  };
}

function executeRole(merged: Merged, problems: RequestError[]): RoleValue {
  const role = merged.value.roles?.execute ?? {};
  if (role.agent === undefined) {
    problems.push(
      new RequestError('agent_missing', 'no agent is named', {
        found: definedAgents(merged.value),
        next: `pawl run … --agent-cmd "…"   or  agents: { mine: { command: […] } } in pawl.yaml   ·   pawl demo`,
      }),
    );
    return nobody;
  }
  const profile = profileOf(merged.value, 'execute', null);
  checkProfile(merged, { whose: 'execute', profile }, problems);
  const { args = [], model = null } = role;
  tokensKnown(args, placeOf(merged, ['roles', 'execute', 'args']), problems);
  return {
    ...resolved(merged, { whose: 'execute', agent: role.agent, model }, problems),
    profile,
    model,
    args,
    ...toldOf(role),
  };
}

interface Told {
  readonly prompt?: string | undefined;
  readonly labels?: readonly string[] | undefined;
}

const toldOf = ({ prompt, labels = [] }: Told) => ({
  ...(prompt === undefined ? {} : { prompt }),
  ...(labels.length === 0 ? {} : { labels }),
});

/** What is no token would reach the agent as it is written. */
function tokensKnown(words: readonly string[], where: string, problems: RequestError[]): void {
  for (const name of unknownPlaceholders(words)) {
    const near = nearest(name, placeholders);
    const meant = near === null ? '' : `did you mean {${near}}?   `;
    problems.push(
      new RequestError('bad_value', `{${name}} is no token that pawl fills in`, {
        where,
        found: words.join(' ').slice(0, 200),
        allowed: placeholders.map((each) => `{${each}}`).join(' '),
        next: `${meant}put braces that the command itself needs into a script   ·   pawl help config`,
      }),
    );
  }
}

function verifyRole(
  merged: Merged,
  beside: { readonly execute: RoleValue; readonly judged: JudgedKind },
  problems: RequestError[],
): RoleValue | null {
  const { roles, domain } = merged.value;
  // A domain picks who judges, too: the agent that makes, under another profile (ruling 4).
  const isPicked = domain !== undefined && beside.judged !== null;
  const role = roles?.verify ?? (isPicked ? {} : undefined);
  if (role === undefined) return null;
  const profile = profileOf(merged.value, 'verify', beside.judged);
  const agent = role.agent ?? beside.execute.agent;
  const model = role.model ?? (agent === beside.execute.agent ? beside.execute.model : null);
  if (profile === beside.execute.profile) {
    problems.push(sameAgent(merged, beside.execute, { profile, agent, model }));
    return null;
  }
  checkProfile(merged, { whose: 'verify', profile }, problems);
  const { execute } = beside;
  const isOwn = merged.value.agents?.[agent] !== undefined;
  const isSame = agent === execute.agent && (isOwn || model === execute.model);
  const start = isSame
    ? startedAs(beside.execute)
    : resolved(merged, { whose: 'verify', agent, model }, problems);
  const { args = [] } = role;
  tokensKnown(args, placeOf(merged, ['roles', 'verify', 'args']), problems);
  return { ...start, profile, model, args, ...toldOf(role) };
}

const startedAs = ({ agent, command, protocol }: RoleValue) => ({
  ...{ agent, command },
  ...(protocol === undefined ? {} : { protocol }),
});

function sameAgent(
  merged: Merged,
  execute: RoleValue,
  verify: Pick<RoleValue, 'profile' | 'agent' | 'model'>,
): RequestError {
  const print = (role: Pick<RoleValue, 'profile' | 'agent' | 'model'>): string =>
    `${role.profile} on ${role.agent}${role.model === null ? '' : `:${role.model}`}`;
  return new RequestError('same_agent', 'executeAgent and verifyAgent must be different agents', {
    where: placeOf(merged, ['roles', 'verify']),
    found: `roles.execute: ${print(execute)}, roles.verify: ${print(verify)}`,
    allowed:
      'another profile (oracle, observer), and another model where the definition names two; or criteria the runtime itself runs',
    next: 'roles.verify: { profile: oracle }   or remove the oracle criterion',
  });
}

interface Named {
  readonly whose: 'execute' | 'verify';
  readonly agent: string;
  readonly model: string | null;
}

function resolved(
  merged: Merged,
  { whose, agent, model }: Named,
  problems: RequestError[],
): Pick<RoleValue, 'agent' | 'command' | 'protocol'> {
  const own = merged.value.agents?.[agent];
  if (own === undefined) {
    if (!isKnown(agent)) {
      problems.push(missing(agent, merged.value, placeOf(merged, ['roles', whose, 'agent'])));
    }
    return { agent, command: null };
  }
  const start = startOf(own);
  const { command, protocol: key = 'command' } = start;
  const at = placeOf(merged, ['agents', agent, key]);
  tokensKnown(command, at, problems);
  if (model !== null) modelUsed(merged, { whose, agent, model }, { command, key, at, problems });
  return { agent, ...start };
}

/** A model that the command has no place for would be promised and never asked for. */
function modelUsed(
  merged: Merged,
  { whose, agent, model }: Named,
  own: {
    readonly command: readonly string[];
    readonly key: 'command' | 'acp' | 'pty';
    readonly at: string;
    readonly problems: RequestError[];
  },
): void {
  const args = merged.value.roles?.[whose]?.args ?? [];
  if ([...own.command, ...args].some((word) => word.includes('{model}'))) return;
  own.problems.push(
    new RequestError('bad_value', `the command of "${agent}" has no {model} for "${model}"`, {
      where: own.at,
      found: own.command.join(' ').slice(0, 200),
      allowed: '{model} in a word of its command, or of the args of its role',
      next: `put {model} into agents.${agent}.${own.key}   or  name no model: --agent ${agent}`,
    }),
  );
}

function missing(agent: string, file: DefinitionFile, where: string): RequestError {
  const near = nearest(agent, [...Object.keys(file.agents ?? {}), ...knownNames]);
  return new RequestError('agent_missing', `the agent "${agent}" is not defined`, {
    where,
    found: definedAgents(file),
    allowed: `an agent of agents:, or one that is known: ${knownNames.join(', ')}`,
    next: `${near === null ? '' : `did you mean "${near}"?   `}agents: { ${agent}: { command: […] } } in pawl.yaml   or  --agent-cmd "…"`,
  });
}

function definedAgents(file: DefinitionFile): string {
  const names = Object.keys(file.agents ?? {});
  return names.length === 0
    ? 'no agents: block in pawl.yaml or config.yaml'
    : `agents: ${names.join(', ')}`;
}

/**
 * A command is never asked for permission, so a promise to hold it to less would be a lie (UX 1.5);
 * an agent with an adapter is held to what its row says. `judge`: the agent that judges, if one
 * does, who works under the same permissions.
 */
function heldTo(merged: Merged, judge: string | null, problems: RequestError[]): void {
  const { value } = merged;
  const permissions = value.permissions ?? usualPermissions(heldBy(value));
  const ofJudge = judge === null ? [] : [{ agent: judge, held: heldByAgent(value, judge) }];
  const ofMaker = { agent: value.roles?.execute?.agent ?? 'the command', held: heldBy(value) };
  const wrong = [ofMaker, ...ofJudge].find(({ held }) => !held.includes(permissions));
  if (wrong === undefined) return;
  const { agent, held } = wrong;
  const others = held.length > 1 ? { allowed: held.join(', ') } : {};
  problems.push(
    new RequestError(
      'not_supported',
      `${agent} never asks; pawl cannot hold it to \`${permissions}\``,
      {
        where: placeOf(merged, ['permissions']),
        ...others,
        next: `Use --permissions ${held[0] ?? 'trusted'}, or another agent`,
      },
    ),
  );
}

const asking = knownNames.filter((name) => asksLeave(name, false));

/** A question that nobody can be asked is refused before it is promised (UX 1.5). */
function canAsk(merged: Merged, problems: RequestError[]): void {
  const { value } = merged;
  const permissions = value.permissions ?? usualPermissions(heldBy(value));
  const policy = value.onPermission ?? usualOnPermission(permissions);
  const agent = value.roles?.execute?.agent;
  const isOwn = agent !== undefined && value.agents?.[agent] !== undefined;
  // Who is trusted asks for nothing.
  if (policy !== 'ask' || permissions === 'trusted' || asksLeave(agent, isOwn)) return;
  // That it cannot be held to them at all is told already.
  if (!heldBy(value).includes(permissions)) return;
  const key = value.onPermission === undefined ? 'permissions' : 'onPermission';
  problems.push(
    new RequestError('not_supported', `${agent ?? 'the command'} cannot wait for your answer`, {
      where: placeOf(merged, [key]),
      found: `permissions: ${permissions}, onPermission: ${policy}`,
      allowed: 'onPermission: deny or stop (what it asks for is refused)',
      next: `onPermission: deny   or  an agent that asks: ${asking.join(', ')}`,
    }),
  );
}

/** What the agent that makes can be held to. */
export function heldBy(file: DefinitionFile): ReturnType<typeof permissionsOf> {
  return heldByAgent(file, file.roles?.execute?.agent);
}

function heldByAgent({ agents }: DefinitionFile, agent: string | undefined) {
  return permissionsOf(agent, agent !== undefined && agents?.[agent] !== undefined);
}

function placeOf(merged: Merged, path: readonly string[]): string {
  return merged.origin(path)?.where(path) ?? '';
}
