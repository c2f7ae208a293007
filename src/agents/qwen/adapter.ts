/**
 * Qwen Code, spoken with over ACP (`qwen --acp`). With a key its home is the agent's own and it
 * asks by the OpenAI API; with the user's login it is the user's. It announces a way to take up a
 * conversation that it does not have (`session/resume`), so that is left out.
 */

import { join } from 'node:path';
import { type Fields, textOf } from '../../kernel/json.ts';
import type { Adapter, TurnSetting } from '../../ports/agent.ts';
import { acpLaunch } from '../drivers/acp/launch.ts';
import { type AcpProfile, plainProfile } from '../drivers/acp/profile.ts';
import { questionText } from '../drivers/questions.ts';
import { isClean, personalSkills } from '../personal.ts';
import { recordOf } from './record.ts';

const settingsFile = 'pawl-settings.json';
/** It gives up a call of a model after this, and tries again (research/agent-clis.md §1). */
const modelTimeoutMs = 120_000;
const modes: Readonly<Record<TurnSetting['permissions'], string>> = {
  trusted: 'yolo',
  workspace: 'auto-edit',
  ask: 'auto-edit',
};
/** Allowed like another tool, its question would be answered with nothing. */
const isQuestion = (call: Fields): boolean =>
  call['kind'] === 'think' && /^Ask user \d+ question/.test(textOf(call['title']) ?? '');
const profile: AcpProfile = {
  ...plainProfile,
  reopens: ['load'],
  questionOf: (call) => (isQuestion(call) ? questionText(call['rawInput']) : null),
};

export const qwenAdapter: Adapter = {
  name: 'qwen',
  version: '1',
  launch(setting) {
    const { role, permissions, programs } = setting;
    const mode = modes[permissions];
    return acpLaunch(setting, {
      profile: { ...profile, isRecorded: recordOf(setting) },
      argv: [
        programs.find('qwen') ?? 'qwen',
        '--acp',
        '--approval-mode',
        mode,
        ...(isClean(setting) ? ['--extensions', 'none'] : []),
        ...(role.models === 'inject' ? ['--auth-type', 'openai'] : []),
        ...(role.model === null ? [] : ['-m', role.model]),
      ],
      env: environment(setting),
      modelTimeoutMs,
      seeds: [{ path: settingsFile, text: settingsOf(setting) }],
      settings: [{ kind: 'mode', value: mode }],
    });
  },
};

/** Stands over the user's and the project's own. It has no sandbox: a command runs as the user. */
function settingsOf(setting: TurnSetting): string {
  const settings = {
    ...(isClean(setting) ? clean(setting) : {}),
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: { folderTrust: { enabled: false } },
    tools: {
      ...(setting.permissions === 'workspace' ? { allowed: ['run_shell_command'] } : {}),
      ...(isClean(setting) && hasSkills(setting) ? { exclude: ['skill'] } : {}),
    },
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/**
 * Servers and hooks cannot be told apart by whose they are, so those of the repository are left out
 * with them. A list without a name would let every server in.
 */
const clean = ({ servers }: TurnSetting) => ({
  mcp: { allowed: ['pawl', ...servers.map(({ name }) => name)] },
  disableAllHooks: true,
});

/** One skill cannot be left out, but the tool by which all are used. */
function hasSkills(setting: TurnSetting): boolean {
  const home = setting.env['HOME'] ?? '/';
  const folders = ['.qwen', '.agents'].map((name) => join(home, name, 'skills'));
  return personalSkills(setting, folders).length > 0;
}

function environment({ role, files }: TurnSetting): Readonly<Record<string, string>> {
  return {
    QWEN_CODE_SYSTEM_SETTINGS_PATH: `${files.home}/${settingsFile}`,
    // Else a first process starts a second one, which outlives it.
    QWEN_CODE_NO_RELAUNCH: '1',
    ...(role.models === 'inject' ? { QWEN_HOME: files.home } : {}),
  };
}
