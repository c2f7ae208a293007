/** A rejection as the person who asked for it reads it. */

import { allowed } from '../domain/escalation/options.ts';
import { liftOf } from '../domain/run/needs.ts';
import type { OpenPaths } from '../domain/run/paths.ts';
import {
  type ErrorDetails,
  type ProductError,
  RequestError,
  TransientError,
} from '../kernel/errors.ts';
import { quotePath } from '../kernel/text.ts';
import type { EngineRejection } from './command.ts';

/** `short` stands for the run in what the reader may type next. */
export function refusal(rejection: EngineRejection, short: string): ProductError {
  switch (rejection.code) {
    case 'run.unknown':
      return new RequestError('run_not_found', `no run ${short} in this store`);
    case 'run.wrong_state':
      return wrongState(rejection, short);
    case 'principal.human_required':
      return new RequestError('human_required', `${rejection.command} needs a human`, {
        facts: { command: rejection.command },
      });
    case 'principal.refused':
      return new RequestError(
        'not_yours',
        `${rejection.command} is not for ${rejection.kind}, or not on a run it did not start`,
        {
          facts: { command: rejection.command },
          next: `ask the operator to run:  ${lineOf(rejection.command, short)}`,
        },
      );
    case 'grant.needed':
      return new RequestError(
        'grant_needed',
        `${short} is parked: ${rejection.reason.replaceAll('_', ' ')}`,
        {
          allowed: rejection.needs.join(' or '),
          facts: { reason: rejection.reason, needs: rejection.needs },
          next: lineOf(liftOf(rejection.reason), short),
          ...(rejection.open === undefined ? {} : openWords(rejection, rejection.open, short)),
        },
      );
    case 'approval.resolved':
      return new RequestError(
        'already_resolved',
        `the gate of ${short} was ${rejection.outcome} by ${rejection.by}`,
        { facts: { outcome: rejection.outcome, by: rejection.by } },
      );
    case 'attempt.unknown':
      return new RequestError(
        'bad_value',
        `attempt ${rejection.attempt} of ${short} has no recorded commit`,
        { found: `--from-attempt ${rejection.attempt}` },
      );
    case 'council.invalid': {
      const { says, found, allowed: names } = rejection;
      return new RequestError('bad_value', says, { where: '--profiles', found, allowed: names });
    }
    case 'council.open': {
      const asked = rejection.profiles.join(',');
      return new RequestError('bad_value', `a council is asked about ${short} already: ${asked}`, {
        where: '--profiles',
        next: `pawl consult ${short}`,
      });
    }
    case 'terms.invalid':
      return new RequestError('bad_value', rejection.detail);
    default:
      // Not a refusal of meaning: the run moved on between the question and the answer.
      return new TransientError('store.busy', `${short} moved on meanwhile: ${rejection.code}`);
  }
}

type Needed = Extract<EngineRejection, { readonly code: 'grant.needed' }>;

/** Whoever allowed some of the paths is told which are left, and what allows them all. */
function openWords({ reason, needs }: Needed, open: OpenPaths, short: string): ErrorDetails {
  const { paths, more, given } = open;
  const isRestorable = needs.some((need) => need.includes('--restore'));
  const whole = more > 0 ? [] : [...given, ...paths];
  const rest = more > 0 ? [`${more} more that are not named here`] : [];
  return {
    found: `${given.length === 0 ? '' : 'still open: '}${[...paths.map(quotePath), ...rest].join(', ')}`,
    facts: { reason, needs, open: paths, more },
    ...(isRestorable && given.length === 0
      ? {}
      : { next: `pawl resume ${short} ${allowed(whole)}` }),
  };
}

type WrongState = Extract<EngineRejection, { readonly code: 'run.wrong_state' }>;

function wrongState({ status, reason, next }: WrongState, short: string): ProductError {
  const is = reason === null ? status : `${status} (${reason})`;
  return new RequestError('wrong_verb', `${short} is ${is}`, {
    facts: { status, reason, next },
    ...nextOf(next.map((verb) => lineOf(verb, short))),
  });
}

/** `resume --attempts +3` → `pawl resume 7k2m --attempts +3`. */
function lineOf(verbAndFlags: string, short: string): string {
  const [verb, ...flags] = verbAndFlags.split(' ');
  return ['pawl', verb, short, ...flags].join(' ');
}

const nextOf = ([next]: readonly string[]) => (next === undefined ? {} : { next });
