/**
 * What gemini is told by a file that stands over the user's and the project's own settings
 * (`GEMINI_CLI_SYSTEM_SETTINGS_PATH`), so that neither is touched. Pure.
 */
import type { TurnSetting } from '../../ports/agent.ts';

type Permissions = TurnSetting['permissions'];

/** Its own names of modes: as a flag, and over ACP. */
export const geminiModes: Readonly<Record<Permissions, readonly [flag: string, mode: string]>> = {
  trusted: ['yolo', 'yolo'],
  workspace: ['auto_edit', 'autoEdit'],
  ask: ['auto_edit', 'autoEdit'],
};

/** Run at the provider, or by a call of a model of their own; and a mode that nobody asked for. */
const excluded = ['google_web_search', 'web_fetch', 'enter_plan_mode'];

export function geminiSettings({ role, permissions }: TurnSetting): string {
  const settings = {
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: {
      folderTrust: { enabled: false },
      ...(role.models === 'inject' ? { auth: { selectedType: 'gemini-api-key' } } : {}),
    },
    tools: {
      exclude: excluded,
      // It has no sandbox of its own here: a command of `workspace` runs as the user.
      ...(permissions === 'workspace' ? { allowed: ['run_shell_command'] } : {}),
    },
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}
