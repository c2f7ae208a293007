/**
 * Qwen Code, spoken with over ACP (`qwen --acp`). With a key its home is the agent's own and it
 * asks by the OpenAI API; with the user's login it is the user's. It announces a way to take up a
 * conversation that it does not have (`session/resume`), so that is left out.
 */

import { type Fields, textOf } from '../../kernel/json.ts';
import type { Adapter, TurnSetting } from '../../ports/agent.ts';
import { acpLaunch } from '../drivers/acp/launch.ts';
import { type AcpProfile, plainProfile } from '../drivers/acp/profile.ts';
import { questionText } from '../drivers/questions.ts';
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
function settingsOf({ permissions }: TurnSetting): string {
  const settings = {
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: { folderTrust: { enabled: false } },
    ...(permissions === 'workspace' ? { tools: { allowed: ['run_shell_command'] } } : {}),
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

function environment({ role, files }: TurnSetting): Readonly<Record<string, string>> {
  return {
    QWEN_CODE_SYSTEM_SETTINGS_PATH: `${files.home}/${settingsFile}`,
    // Else a first process starts a second one, which outlives it.
    QWEN_CODE_NO_RELAUNCH: '1',
    ...(role.models === 'inject' ? { QWEN_HOME: files.home } : {}),
  };
}
