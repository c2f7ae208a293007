/**
 * opencode, spoken with over ACP (`opencode acp`). With a key it has folders of its own under the
 * agent's home; with the user's login it finds that where it lies, and only updates, sharing,
 * downloads and plugins are off. What it reports of tokens is its last call alone; where there is a
 * models door, the door's figures stand.
 */

import { textOf } from '../../kernel/json.ts';
import type { Adapter, TurnSetting } from '../../ports/agent.ts';
import { acpLaunch } from '../drivers/acp/launch.ts';
import { type AcpProfile, plainProfile } from '../drivers/acp/profile.ts';
import { questionText } from '../drivers/questions.ts';
import { isClean } from '../personal.ts';
import { opencodeConfig, opencodePermissions } from './config.ts';

const profile: AcpProfile = {
  ...plainProfile,
  tools: {
    // A call is announced by the name of its tool; later its title is what it does.
    nameOf: (call) => (call['status'] === 'pending' ? textOf(call['title']) : null),
    beginsPending: false,
  },
  reopens: ['resume', 'load'],
  // It waits for an answer that no client of ACP can give.
  questionOf: (call) => (call['title'] === 'question' ? questionText(call['rawInput']) : null),
};

export const opencodeAdapter: Adapter = {
  name: 'opencode',
  version: '1',
  launch: (setting) =>
    acpLaunch(setting, {
      profile,
      argv: [setting.programs.find('opencode') ?? 'opencode', 'acp'],
      env: environment(setting),
      // The other one plans and changes nothing.
      settings: [{ kind: 'option', id: 'mode', value: 'build' }],
    }),
};

function environment(setting: TurnSetting): Readonly<Record<string, string>> {
  const always = {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(setting)),
    OPENCODE_PERMISSION: JSON.stringify(opencodePermissions[setting.permissions]),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_ENABLE_QUESTION_TOOL: '1',
    ...(isClean(setting) || setting.role.models === 'inject' ? clean(setting) : {}),
  };
  if (setting.role.models !== 'inject') return always;
  const { home } = setting.files;
  return {
    ...always,
    // Plugins that come with it log in with other services; the list of models is the built-in one.
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    XDG_DATA_HOME: `${home}/data`,
    XDG_STATE_HOME: `${home}/state`,
    XDG_CACHE_HOME: `${home}/cache`,
  };
}

/**
 * Its configuration lies apart from its login, which is among its data; with its second home go
 * the skills that it takes over from other agents. Plugins of the repository are left out as well.
 */
const clean = ({ files }: TurnSetting): Readonly<Record<string, string>> => ({
  OPENCODE_PURE: '1',
  OPENCODE_TEST_HOME: files.home,
  XDG_CONFIG_HOME: `${files.home}/config`,
});
