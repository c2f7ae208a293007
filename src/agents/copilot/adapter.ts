/**
 * GitHub Copilot CLI, spoken with over ACP (`copilot --acp`, measured with 1.0.102). With a key its
 * home is the agent's own, it asks the models door as a provider of its own and nobody else; with
 * the user's login it is the user's.
 *
 * `workspace` is what it allows by itself: its tools in the work tree, and commands as the user.
 * What it asks for all the same (a path elsewhere) is denied by the host.
 */
import type { Adapter, TurnSetting } from '../../ports/agent.ts';
import { acpLaunch } from '../drivers/acp/launch.ts';
import { type AcpProfile, type AcpSetting, plainProfile } from '../drivers/acp/profile.ts';
import { silentFailure } from './failure.ts';
import { argvOf, envOf, seedsOf } from './launch.ts';

const profile: AcpProfile = { ...plainProfile, silentFailure };

export const copilotAdapter: Adapter = {
  name: 'copilot',
  version: '1',
  launch: (setting) =>
    // It refuses servers of tools that a session names, in silence; it is given them by a file.
    acpLaunch(
      { ...setting, servers: [] },
      {
        profile,
        argv: argvOf(setting),
        env: envOf(setting),
        seeds: seedsOf(setting),
        settings: settingsOf(setting),
      },
    ),
};

function settingsOf({ permissions }: TurnSetting): readonly AcpSetting[] {
  const mode = 'https://agentclientprotocol.com/protocol/session-modes#agent';
  return [
    // The others plan, or allow themselves everything.
    { kind: 'option', id: 'mode', value: mode },
    { kind: 'option', id: 'allow_all', value: permissions === 'trusted' ? 'on' : 'off' },
  ];
}
