/**
 * Gemini CLI, spoken with over ACP (`gemini --acp`). With a key its home is the agent's own; with
 * the user's login it is the user's, and what must hold stands over it. It ends by SIGTERM, not by
 * the end of its stdin, once it has started a server of tools.
 */

import { textOf } from '../../kernel/json.ts';
import type { Adapter, Seed, TurnSetting } from '../../ports/agent.ts';
import { acpLaunch } from '../drivers/acp/launch.ts';
import { type AcpProfile, plainProfile } from '../drivers/acp/profile.ts';
import { isClean } from '../personal.ts';
import { geminiModes, geminiPolicy, geminiSettings } from './settings.ts';

const settingsFile = 'pawl-settings.json';
const policyFile = 'pawl-policy.toml';
/** Where it looks in a home of its own. */
const ownSettings = '.gemini/settings.json';
/** It gives up a call of a model after this, and tries again (research/agent-clis.md §1). */
const modelTimeoutMs = 60_000;

const profile: AcpProfile = {
  ...plainProfile,
  tools: {
    // `run_shell_command__…`: its calls have no names, but their ids begin with them.
    nameOf: ({ toolCallId }) => /^(\w+?)__/.exec(textOf(toolCallId) ?? '')?.[1] ?? null,
    beginsPending: true,
  },
  exits: { 41: 'auth_required' },
};

export const geminiAdapter: Adapter = {
  name: 'gemini',
  version: '1',
  launch(setting) {
    const { files, permissions, programs } = setting;
    const [flag, mode] = geminiModes[permissions];
    return acpLaunch(setting, {
      profile,
      argv: [
        programs.find('gemini') ?? 'gemini',
        '--acp',
        '--approval-mode',
        flag,
        '--policy',
        `${files.home}/${policyFile}`,
        ...(isClean(setting) ? cleanWords(setting) : []),
        ...modelWords(setting),
      ],
      env: environment(setting),
      modelTimeoutMs,
      seeds: seedsOf(setting),
      settings: [{ kind: 'mode', value: mode }],
    });
  },
};

function seedsOf(setting: TurnSetting): readonly Seed[] {
  const text = geminiSettings(setting);
  return [
    { path: settingsFile, text },
    { path: policyFile, text: geminiPolicy(setting) },
    ...(setting.role.models === 'inject' ? [{ path: ownSettings, text }] : []),
  ];
}

/** Servers of the repository go with the user's. A list without a name would let each one in. */
function cleanWords({ servers }: TurnSetting): readonly string[] {
  const names = ['pawl', ...servers.map(({ name }) => name)];
  return ['--extensions', 'none', ...names.flatMap((name) => ['--allowed-mcp-server-names', name])];
}

/** Without a name it asks a model which model to ask, at every turn. */
function modelWords({ role }: TurnSetting): readonly string[] {
  const model = role.model ?? (role.models === 'inject' ? 'pro' : null);
  return model === null ? [] : ['-m', model];
}

function environment({ role, files }: TurnSetting): Readonly<Record<string, string>> {
  return {
    GEMINI_CLI_SYSTEM_SETTINGS_PATH: `${files.home}/${settingsFile}`,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    // Else a first process starts a second one and does not pass signals on to it.
    GEMINI_CLI_NO_RELAUNCH: '1',
    ...(role.models === 'inject' ? { GEMINI_CLI_HOME: files.home } : {}),
  };
}
