/** How one agent's ACP differs from another's, as data (research/acp.md §4). */
import type { FailureClass, Usage } from '../../../domain/execution/state.ts';
import type { Fields } from '../../../kernel/json.ts';
import type { ToolServer, TurnSetting } from '../../../ports/agent.ts';
import type { ToldFailure } from '../failure.ts';
import type { ToolNaming } from './tools.ts';

export interface AcpProfile {
  readonly tools: ToolNaming;
  /** A method of logging in that must be named before there can be a session; null: none. */
  readonly authenticate: string | null;
  /**
   * Which way to an earlier conversation really works, as what agents announce is not always there;
   * `resume` comes without a replay. The next one is tried when one fails, at last a new one.
   */
  readonly reopens: readonly ('resume' | 'load')[];
  /** What a call of a tool asks of a person; null: it is another call. */
  readonly questionOf: (call: Fields) => string | null;
  /** It says that its turn ended where it failed; null: nothing of that kind is known of it. */
  readonly silentFailure: ((turn: SaidTurn) => ToldFailure | null) | null;
  /** Whether its own record holds the end of this turn; null: it does before it says so. */
  readonly isRecorded: ((sessionId: string) => boolean) | null;
  /** Exits of its own before there was an answer, by what they mean. */
  readonly exits: Readonly<Record<number, FailureClass>>;
}

export interface SaidTurn {
  readonly text: string;
  /** What it said last, as it came in one piece. */
  readonly lastPiece: string;
  readonly usage: Usage | null;
}

/** One that a session is given, and that must be found again afterwards. */
export type AcpSetting =
  | { readonly kind: 'mode'; readonly value: string }
  | { readonly kind: 'option'; readonly id: string; readonly value: string };

/** All that one turn needs to be spoken. */
export interface AcpTurn {
  readonly profile: AcpProfile;
  readonly cwd: string;
  readonly prompt: string;
  /** An earlier conversation to go on with. */
  readonly sessionId: string | null;
  readonly servers: readonly ToolServer[];
  /** Set after the session is opened, whichever way, and read back. */
  readonly settings: readonly AcpSetting[];
  /** Requests that come all the same are allowed at once: the operator trusts the agent. */
  readonly isTrusted: boolean;
}

/** What any agent may do that keeps to the protocol. */
export const plainProfile: AcpProfile = {
  tools: { nameOf: () => null, beginsPending: true },
  authenticate: null,
  reopens: ['load'],
  questionOf: () => null,
  silentFailure: null,
  isRecorded: null,
  exits: {},
};

/** A lane's turn, as it is spoken over ACP. */
export function acpTurn(
  { dispatch, tree, servers, permissions }: TurnSetting,
  profile: AcpProfile,
  settings: readonly AcpSetting[],
): AcpTurn {
  const { prompt, sessionId } = dispatch;
  const isTrusted = permissions === 'trusted';
  return { profile, cwd: tree, prompt, sessionId, servers, settings, isTrusted };
}
