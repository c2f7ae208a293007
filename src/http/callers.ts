/**
 * Who asks (DESIGN §11a). Nothing that a request says of itself counts but its token: an operator's
 * token speaks for the human who made it, for the gates of its scope; one without any scope speaks
 * for a program.
 */
import { RequestError } from '../kernel/errors.ts';
import type { TokenVerb } from '../kernel/token-verbs.ts';
import type { OperatorToken, OperatorTokens } from '../ports/operator-tokens.ts';
import type { Instant, Principal } from '../ports/words.ts';

export interface Caller {
  readonly token: OperatorToken;
  /** For what is no gate: looking, starting, steering. */
  readonly principal: Principal;
}

export interface Callers {
  /** @throws RequestError `token_missing`, `token_refused`. */
  of(authorization: string | undefined): Promise<Caller>;
}

const actorMax = 100;

export function callers(options: {
  readonly tokens: Pick<OperatorTokens, 'check'>;
  readonly now: () => Instant;
}): Callers {
  return {
    of: async (authorization) => {
      const secret = /^Bearer ([\w-]{1,200})$/i.exec(authorization ?? '')?.[1];
      if (secret === undefined) {
        const isThere = authorization !== undefined;
        throw new RequestError('token_missing', 'this call needs an operator token', {
          where: 'authorization',
          found: isThere ? 'no bearer token' : 'nothing',
        });
      }
      const check = await options.tokens.check(secret, options.now());
      if (check.ok) return { token: check.token, principal: principalOf(check.token) };
      throw new RequestError('token_refused', 'the operator token is not accepted', {
        where: 'authorization',
        found: check.why,
      });
    },
  };
}

const principalOf = (token: OperatorToken): Principal =>
  token.scope.length === 0 ? programOf(token) : humanOf(token);

function humanOf({ by, id }: OperatorToken): Principal {
  const actor = `${by} (token ${id})`.slice(0, actorMax);
  return { kind: 'human', actor, channel: 'token', ancestry: null };
}

/** The name alone, so that a program still owns the runs that it started with its token before. */
function programOf({ by }: OperatorToken): Principal {
  return { kind: 'automation', actor: by.slice(0, actorMax), channel: 'token', ancestry: null };
}

/** Who passes the gate, or is refused at it: only the scope of the token makes a human of it. */
export function atGate({ token }: Caller, verb: TokenVerb): GateAnswer {
  const isHuman = token.scope.includes(verb);
  return { isHuman, principal: isHuman ? humanOf(token) : programOf(token) };
}
export interface GateAnswer {
  readonly isHuman: boolean;
  readonly principal: Principal;
}

/** The refusal, in the words of the command line (UX 4.4-10). */
export function needsHuman({ token }: Caller, verb: TokenVerb, run: string | null): RequestError {
  const granted = token.scope.length === 0 ? 'no gate' : token.scope.join(', ');
  const line = ['pawl', verb, ...(run === null ? [] : [run])].join(' ');
  return new RequestError(
    'human_required',
    `"pawl ${verb}" lifts a halt, and only a human may do that`,
    {
      found: `the operator token ${token.id} is for ${granted}`,
      next: `ask the operator to run:  ${line}`,
      facts: { command: verb },
    },
  );
}
