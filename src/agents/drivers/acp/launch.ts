/** How an agent that is known by name is started and spoken with over ACP. */
import type { Launch, TurnSetting } from '../../../ports/agent.ts';
import { filledArgs } from '../../command/template-values.ts';
import { turnEnvironment } from '../../turn-environment.ts';
import { type AcpProfile, type AcpSetting, acpTurn } from './profile.ts';
import { acpTalk } from './talk.ts';

export interface AcpStart extends Pick<Launch, 'argv' | 'seeds' | 'modelTimeoutMs'> {
  readonly profile: AcpProfile;
  /** Over what every turn is told. */
  readonly env: Readonly<Record<string, string>>;
  readonly settings: readonly AcpSetting[];
}

/**
 * The words of the definition's role come last.
 * @throws RequestError of a bad template in `args`.
 */
export function acpLaunch(setting: TurnSetting, start: AcpStart): Launch {
  const { profile, settings, argv, env, ...more } = start;
  return {
    ...more,
    argv: [...argv, ...filledArgs(setting)],
    env: { ...turnEnvironment(setting), ...env },
    stdin: null,
    talk: acpTalk(acpTurn(setting, profile, settings)),
  };
}
