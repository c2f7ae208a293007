/**
 * What gemini is told by files of ours, so that neither the user's nor the project's are touched:
 * settings that stand over both (`GEMINI_CLI_SYSTEM_SETTINGS_PATH`, which it leaves out where a
 * folder above can be written by others), and a policy (`--policy`), which holds anywhere. Pure.
 */
import { join } from 'node:path';
import type { TurnSetting } from '../../ports/agent.ts';
import { isClean, personalSkills } from '../personal.ts';

type Permissions = TurnSetting['permissions'];

/** Its own names of modes: as a flag, and over ACP. */
export const geminiModes: Readonly<Record<Permissions, readonly [flag: string, mode: string]>> = {
  trusted: ['yolo', 'yolo'],
  workspace: ['auto_edit', 'autoEdit'],
  ask: ['auto_edit', 'autoEdit'],
};

/** Run at the provider, or by a call of a model of their own; and a mode that nobody asked for. */
const refused = ['google_web_search', 'web_fetch', 'enter_plan_mode'];

/**
 * Which tools run, by the first rule that fits. It has no sandbox of its own here: a command of
 * `workspace` runs as the user.
 */
export function geminiPolicy({
  permissions,
  servers,
}: Pick<TurnSetting, 'permissions' | 'servers'>): string {
  const shell = ['toolName = "run_shell_command"', 'decision = "allow"', 'allowRedirection = true'];
  return [
    rule([`toolName = ${JSON.stringify(refused)}`, 'decision = "deny"'], 999),
    ...(permissions === 'workspace' ? [rule(shell, 998)] : []),
    // What a tool that we give may do is decided where it is given.
    ...servers.map(({ name }) =>
      rule([`toolName = ${JSON.stringify(`mcp_${name}_*`)}`, 'decision = "allow"'], 997),
    ),
  ].join('\n');
}

const rule = (lines: readonly string[], priority: number): string =>
  `[[rule]]\n${lines.join('\n')}\npriority = ${priority}\n`;

export function geminiSettings(setting: TurnSetting): string {
  const { role } = setting;
  const settings = {
    ...(isClean(setting) ? clean(setting) : {}),
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: {
      folderTrust: { enabled: false },
      ...(role.models === 'inject' ? { auth: { selectedType: 'gemini-api-key' } } : {}),
    },
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/** Hooks cannot be told apart by whose they are; skills are named one by one. */
function clean(setting: TurnSetting) {
  const home = setting.env['HOME'] ?? '/';
  const folders = ['.gemini', '.agents'].map((name) => join(home, name, 'skills'));
  const skills = personalSkills(setting, folders).flatMap(({ names }) => names);
  return {
    hooksConfig: { enabled: false },
    ...(skills.length === 0 ? {} : { skills: { disabled: skills } }),
  };
}
