/** Goal: what a refusal offers instead is taken by the same state (UX 2.2). */
import { expect, test } from 'vitest';
import {
  checks,
  command,
  commit,
  digest,
  executed,
  failed,
  manual,
  resume,
  runAfter,
  sealed,
  start,
  terms,
  verified,
  verifying,
  working,
} from '../../../test/support/run-fixtures.ts';
import { decide } from './decide.ts';
import type { RunCommand } from './message.ts';
import type { LivingRun, RunState } from './state.ts';
import { fittingVerbs } from './verbs.ts';

const touched = { kind: 'protected', paths: ['t'], more: 0 } as const;
const drifted = { kind: 'drift', paths: ['t'], more: 0 } as const;
const states: Readonly<Record<string, RunState>> = {
  preparing: runAfter(start()),
  executing: runAfter(...working()),
  verifying: runAfter(...verifying()),
  waiting: runAfter(...working(), sealed(2, executed({ outcome: 'limit' }))),
  manual: runAfter(...verifying({ steps: [checks, manual] }), sealed(3, verified())),
  protected: runAfter(
    ...working({ onProtected: 'ask' }),
    sealed(2, executed({ findings: [touched] })),
  ),
  paused: runAfter(
    ...working(),
    sealed(2, executed({ outcome: 'limit' })),
    command({ type: 'pause', now: false }),
  ),
  attempts: runAfter(
    ...verifying({ brakes: { ...terms.brakes, attempts: 1 } }),
    sealed(3, verified({ outcome: 'failed' })),
  ),
  question: runAfter(...working(), sealed(2, executed({ outcome: 'question' }))),
  drift: runAfter(...working(), sealed(2, executed({ findings: [drifted] }))),
  protectedParked: runAfter(...working(), sealed(2, executed({ findings: [touched] }))),
  login: runAfter(...working(), sealed(2, failed('auth_required'))),
  complete: runAfter(...verifying(), sealed(3, verified())),
};

/** As the command line would send what is offered; null: a verb that only looks, or a new run. */
function sent(offer: string, run: LivingRun): RunCommand | null {
  const [verb = ''] = offer.split(' ');
  const grant = /--attempts \+(\d+)/.exec(offer)?.[1];
  const approval = run.status === 'waiting_human' ? run.gate.approval : ('none' as never);
  const gate = { type: 'resolve_gate', approval, note: null, summary: '' } as const;
  switch (verb) {
    case 'hint':
      return command({ type: 'hint', text: digest('h') });
    case 'pause':
      return command({ type: 'pause', now: false });
    case 'cancel':
      return command({ type: 'cancel', note: '' });
    case 'approve':
      return command({ ...gate, outcome: 'approved' });
    case 'reject':
      return command({ ...gate, outcome: 'rejected' });
    case 'answer':
      return command({ type: 'answer', text: digest('a') });
    case 'accept':
      return command({ type: 'accept', reason: 'known' });
    case 'resume':
      return resume({
        ...(grant === undefined ? {} : { grants: { attempts: Number(grant) } }),
        ...(offer.includes('--now') ? { now: true } : {}),
        ...(offer.includes('--restore') ? { restore: true } : {}),
      });
    case 'land': {
      const landing = { commit: commit('l'), into: 'main', method: 'squash', reverified: true };
      return command({ type: 'record_landing', ...landing });
    }
    default:
      return null;
  }
}

test.each(Object.keys(states))('every verb that is offered in %s is taken there', (name) => {
  const state = states[name] ?? { status: 'unborn' };
  if (state.status === 'unborn') throw new Error('a state of the table is a living run');
  const offers = fittingVerbs(state);
  expect(offers.length).toBeGreaterThan(0);
  for (const offer of offers) {
    const asked = sent(offer, state);
    if (asked !== null) expect({ offer, ok: decide(state, asked).ok }).toEqual({ offer, ok: true });
  }
});
