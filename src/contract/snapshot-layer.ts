/**
 * A canonical definition as a layer again: what a retry starts from before its flags override it.
 */
import type { BrakesValue, CriterionValue, DefinitionValue, RoleValue } from './definition.ts';
import type { CriterionFile, UserConfigFile } from './definition-file.ts';
import { printDuration } from './duration.ts';
import type { Layer } from './layer.ts';
import { livenessFile } from './liveness.ts';
import { notifyFile } from './notify.ts';
import { recoveryFile } from './recovery-file.ts';

/** Of commands of the user's own no clean `agentConfig` is promised: only he may, and is told. */
export function snapshotLayer(definition: DefinitionValue, name: string): Layer {
  const { brakes, workspace } = definition;
  const { execute, verify } = definition.roles;
  const agents = [execute, ...(verify === null ? [] : [verify])].flatMap(
    ({ agent, command, protocol }) =>
      command === null ? [] : [[agent, { [protocol ?? 'command']: [...command] }] as const],
  );
  const value: UserConfigFile = {
    goal: definition.intent.originalIntent,
    context: [...definition.context],
    ...(definition.domain === undefined ? {} : { domain: definition.domain }),
    ...(definition.artifacts === undefined ? {} : { artifacts: [...definition.artifacts] }),
    agents: Object.fromEntries(agents),
    roles: { execute: roleFile(execute), ...(verify === null ? {} : { verify: roleFile(verify) }) },
    criteria: definition.criteria.map(criterionFile),
    baseline: definition.baseline,
    allowNoChange: definition.allowNoChange,
    protected: [...definition.protected],
    onProtected: definition.onProtected,
    fileScope: [...definition.fileScope],
    brakes: brakesFile(brakes),
    workspace: {
      isolation: definition.source.isolation,
      copy: [...workspace.copy],
      submodules: workspace.submodules,
      ...(workspace.setup === null
        ? {}
        : {
            setup: {
              run: workspace.setup.command,
              timeout: printDuration(workspace.setup.timeoutMs),
            },
          }),
    },
    verify: { tree: definition.verifyTree, on: definition.verifyOn ?? 'any' },
    labels: [...(definition.labels ?? [])],
    permissions: definition.permissions,
    onPermission: definition.onPermission ?? 'deny',
    onLimit: definition.onLimit,
    ...(agents.length > 0 ? {} : { agentConfig: 'clean' as const }),
    ...(definition.agentConfig === undefined ? {} : { agentConfig: definition.agentConfig }),
    models: execute.models === 'pass' ? 'pass' : 'auto',
    env: { allow: [...definition.env.allow], set: { ...definition.env.set } },
    secrets: { ...definition.secrets },
    recovery: recoveryFile(definition.recovery),
    concurrency: { ...definition.concurrency },
    land: { ...definition.land },
    nestedRuns: definition.nestedRuns,
    keepAwake: definition.keepAwake,
    liveness: livenessFile(definition),
    ...notifyFile(definition),
    approvals: {
      expire:
        definition.approvals.expireMs === null
          ? null
          : printDuration(definition.approvals.expireMs),
    },
  };
  return { origin: name, kind: 'project', value, where: () => name };
}

export function brakesFile(brakes: BrakesValue) {
  return {
    attempts: brakes.attempts,
    cost: brakes.costUsd,
    tokens: brakes.tokens,
    time: brakes.timeMs === null ? null : printDuration(brakes.timeMs),
    attemptTime: printDuration(brakes.attemptTimeMs),
    waitTime: printDuration(brakes.waitTimeMs),
    errorSignals: brakes.errorSignals,
  };
}

function roleFile(role: RoleValue) {
  return {
    profile: role.profile,
    agent: role.agent,
    args: [...role.args],
    login: role.models === 'inject' ? ('key' as const) : ('user' as const),
    ...(role.model === null ? {} : { model: role.model }),
    ...(role.prompt === undefined ? {} : { prompt: role.prompt }),
    labels: [...(role.labels ?? [])],
  };
}

function criterionFile(criterion: CriterionValue): CriterionFile {
  const timeout = printDuration(criterion.timeoutMs);
  switch (criterion.kind) {
    case 'fileExists':
      return { fileExists: criterion.path, timeout };
    case 'oracle':
    case 'observer':
      return { [criterion.kind]: criterion.question, timeout };
    case 'manual':
      return { manual: criterion.look, timeout };
    default: {
      const { kind, command, expectExit, testsRunMoreThan, redFirst } = criterion;
      const counts = testsRunMoreThan === null ? {} : { testsRun: `>${testsRunMoreThan}` };
      return { [kind]: command, timeout, redFirst, expect: { exit: expectExit, ...counts } };
    }
  }
}
