/**
 * Who types the command (DESIGN §11a, UX 0.4). Main passes the facts; the rule is here, and the
 * engine's edge enforces it again for every surface. A lane of the same OS user that cleans its
 * environment can imitate a human: docs/threat-model.md says so, and `ancestry: unknown` is shown.
 */
import { RequestError } from '../kernel/errors.ts';
import type { TokenCheck } from '../ports/operator-tokens.ts';
import type { Principal } from '../ports/words.ts';

export interface PrincipalFacts {
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  /** What was found in this process and its ancestors. */
  readonly ancestry: 'clean' | 'unknown' | 'lane' | 'agent';
  /** The program or execution that was found: `claude`, `7k2m….1`; null when none was. */
  readonly foundName: string | null;
  /** The variable that gave it away: `CLAUDECODE`, `PAWL_EXECUTION`; null when none did. */
  readonly foundVariable: string | null;
  /** What `PAWL_OPERATOR_TOKEN` is worth; null when it is not set. */
  readonly operatorToken: TokenCheck | null;
  /** Login name of the OS user. */
  readonly login: string;
}

export type GateAnswer =
  | { readonly human: true; readonly principal: Principal }
  | { readonly human: false; readonly principal: Principal; readonly found: string };

/**
 * Pure. A terminal whose ancestors cannot be told is accepted as human, and recorded as unknown.
 */
export function judgePrincipal(facts: PrincipalFacts): GateAnswer {
  const actor = (facts.foundName ?? facts.login).slice(0, 100);
  if (facts.ancestry === 'lane' || facts.ancestry === 'agent') {
    const principal: Principal = {
      kind: facts.ancestry === 'lane' ? 'lane' : 'automation',
      actor,
      channel: facts.stdinIsTerminal && facts.stdoutIsTerminal ? 'terminal' : 'library',
      ancestry: facts.ancestry,
    };
    return { human: false, principal, found: startedBy(facts) };
  }
  if (facts.stdinIsTerminal && facts.stdoutIsTerminal) {
    const principal: Principal = {
      kind: 'human',
      actor,
      channel: 'terminal',
      ancestry: facts.ancestry,
    };
    return { human: true, principal };
  }
  const principal: Principal = {
    kind: 'automation',
    actor,
    channel: 'library',
    ancestry: facts.ancestry,
  };
  return { human: false, principal, found: 'not from a terminal' };
}

/**
 * Pure. Who passes a gate: a human at a terminal, or who holds an operator's token for this verb.
 * An agent or a lane that was started with a token in its environment is still no human.
 */
export function judgeGate(facts: PrincipalFacts, verb: string): GateAnswer {
  const answer = judgePrincipal(facts);
  const check = facts.operatorToken;
  if (answer.human || check === null) return answer;
  if (facts.ancestry === 'lane' || facts.ancestry === 'agent') {
    return { ...answer, found: `${answer.found}; an operator token does not count there` };
  }
  if (!check.ok) return { ...answer, found: `PAWL_OPERATOR_TOKEN: ${check.why}` };
  const { id, by, scope } = check.token;
  if (!scope.some((granted) => granted === verb)) {
    const granted = scope.length === 0 ? 'nothing' : scope.join(', ');
    return { ...answer, found: `the operator token ${id} is for ${granted}` };
  }
  const actor = `${by} (token ${id})`.slice(0, 100);
  return {
    human: true,
    principal: { kind: 'human', actor, channel: 'token', ancestry: null },
  };
}

function startedBy(facts: PrincipalFacts): string {
  const variable = facts.foundVariable === null ? '' : ` (${facts.foundVariable} is set)`;
  const who = facts.foundName ?? (facts.ancestry === 'lane' ? 'a lane of pawl' : 'an agent');
  const where =
    facts.stdinIsTerminal && facts.stdoutIsTerminal
      ? 'in a terminal of its own'
      : 'not from a terminal';
  return `started by ${who}${variable}, ${where}`;
}

/** The refusal of a gate verb (UX 4.4-10). */
export function humanRequired(verb: string, found: string, commandLine: string): RequestError {
  const does = verb === 'consult' ? 'spends on opinions' : 'lifts a halt';
  return new RequestError(
    'human_required',
    `"pawl ${verb}" ${does}, and only a human may do that`,
    {
      found,
      next: `ask the operator to run:  ${commandLine}`,
    },
  );
}
