/**
 * One event of a run as a fact that people are told: a finished line of the live view (UX 3.1) and
 * a line in a pipe (UX 3.4) from the same source, so that they cannot say different things.
 */

import { driverOf } from '../../contract/known-agents.ts';
import type { StoredEvent } from '../../ports/store.ts';
import { workBranch } from '../../ports/tree-name.ts';
import { short, spentMoney, words } from '../format.ts';
import { clean, firstLine } from '../text.ts';
import { laneOf } from '../wire.ts';
import { artifactsFact } from './artifacts.ts';
import { attemptFact, baselineFact } from './attempt-fact.ts';
import type { Fact, FactLine, Scene } from './fact-shape.ts';
import { withoutGit } from './header.ts';
import { findingNames } from './warnings.ts';

type EventOf<T extends StoredEvent['event']['type']> = Extract<StoredEvent['event'], { type: T }>;

/** Null: the event says nothing that a viewer is told. */
export function factOf(stored: StoredEvent, scene: Scene): Fact | null {
  const { event } = stored;
  switch (event.type) {
    case 'run.started':
      return startFact(scene);
    case 'baseline.recorded':
      return baselineFact(event, scene);
    case 'criterion.appended':
      return fact(
        'note',
        [['manual', event.look]],
        note('?', 'criterion', `added: a human looks: ${firstLine(event.look)}`),
      );
    case 'attempt.ended':
      return attemptFact(event, scene);
    case 'recovery.recorded':
      return recoveryFact(event, scene);
    case 'run.waiting':
      return waitFact(event, scene);
    case 'finding.recorded':
      return findingFact(event);
    case 'artifacts.attested':
      return artifactsFact(event);
    case 'machine.slept':
      return sleptFact(event, scene);
    case 'notice.recorded':
      return noticeFact(event);
    default:
      return lifecycleFact(stored, scene);
  }
}

function lifecycleFact({ event }: StoredEvent, scene: Scene): Fact | null {
  switch (event.type) {
    case 'gate.opened':
      return fact('gate', [
        ['kind', event.gate.kind],
        ['approval', event.gate.approval],
        ...(event.gate.kind === 'permission' ? ([['call', event.gate.ask.title]] as const) : []),
      ]);
    case 'permission.answered':
      return event.why === 'matched' ? matchedFact(event) : null;
    case 'gate.resolved':
      return fact(
        'gate',
        [
          ['outcome', event.outcome],
          ['by', event.by],
        ],
        note('·', 'gate', `${event.outcome} by ${event.by}`),
      );
    case 'run.parked':
      return fact('parked', [
        ['disposition', event.disposition],
        ['reason', event.reason],
        ['detail', event.detail],
      ]);
    case 'run.paused':
      return fact('paused', [['by', event.by]]);
    case 'run.resumed':
      return fact('resumed', [['by', event.by]], note('·', 'resumed', `by ${event.by}`));
    case 'hint.added':
      return fact(
        'hint',
        [['by', event.by]],
        note('·', 'hint', 'taken; it goes into the next turn'),
      );
    case 'question.answered':
      return fact('answer', [['by', event.by]], note('·', 'answer', `given by ${event.by}`));
    default:
      return endFact(event, scene);
  }
}

/** Nobody was asked, so that it is said by whose yes the call was made. */
function matchedFact({ approval, decision }: EventOf<'permission.answered'>): Fact {
  const text = `the same call again: ${decision} by ${approval.slice(approval.lastIndexOf('.') + 1)}`;
  return fact(
    'permission',
    [
      ['decision', decision],
      ['approval', approval],
    ],
    note('·', 'leave', text),
  );
}

function endFact(event: StoredEvent['event'], { view }: Scene): Fact | null {
  switch (event.type) {
    case 'run.cancelled':
      return fact('cancelled', [
        ['cause', event.cause],
        ['note', event.note],
      ]);
    case 'run.completed':
      return fact('complete', [
        ['attempt', view.attempt.n],
        ['cost', spentMoney(view.spent).replace('$', '')],
        ['head', view.head === null ? null : short(view.head)],
        ['verification', event.verification],
        ['by', event.by],
        ['receipt', event.receipt],
      ]);
    case 'run.landed':
      return fact('landed', [
        ['commit', short(event.commit)],
        ['into', event.into],
        ['by', event.by],
      ]);
    case 'principal.refused':
      return fact(
        'refused',
        [
          ['command', event.command],
          ['actor', event.actor],
        ],
        note('!', 'refused', `${event.command} by ${event.actor}: only a human may do that`),
      );
    default:
      return null;
  }
}

function fact(kind: string, fields: Fact['fields'], line: FactLine | null = null): Fact {
  return { kind, fields, line };
}
function note(sign: string, label: string, text: string): FactLine {
  return { sign, label, text, right: [], below: [] };
}

function startFact({ view, definition }: Scene): Fact {
  const { agent } = laneOf(view.maker);
  return fact('start', [
    ['agent', agent],
    ['driver', driverOf(definition.roles.execute)],
    ['base', short(definition.source.base)],
    [
      'branch',
      view.branch ??
        (definition.source.isolation === 'none' || view.dryRun === true
          ? null
          : workBranch(view.name, view.id)),
    ],
    ['note', definition.source.base === null ? withoutGit : null],
    ['dryRun', view.dryRun === true ? 'yes' : null],
  ]);
}

function recoveryFact(event: EventOf<'recovery.recorded'>, { story }: Scene): Fact {
  const n = story.attemptOf.get(event.execution);
  const then = {
    requeue: 'new execution, same attempt',
    transfer: 'new execution, same attempt',
    fresh_session: 'fresh conversation, same attempt',
    backed_off: 'tried again later, no attempt spent',
    stopped: 'stopped',
    give_up: 'no recovery left',
  }[event.action];
  const detail = event.detail === '' ? '' : ` (${firstLine(event.detail)})`;
  return fact(
    'recovery',
    [
      ['attempt', n ?? null],
      ['class', classWord(event)],
      ['action', event.action],
      ['proof', event.proof],
      ['detail', event.detail],
    ],
    recoveryLine(event, n, `${words(event.class)}${detail}; ${then}`),
  );
}

/** A lane that was asked to stop ends as one that died, and is told as what was asked of it. */
function classWord(event: EventOf<'recovery.recorded'>): string {
  const echoes = ['lane_died', 'transport_lost', ...(event.asked === 'wall' ? [late] : [])];
  if (event.action !== 'stopped' || !echoes.includes(event.class)) return event.class;
  return event.asked === undefined ? 'stopped' : askedFor[event.asked].class;
}

/** A lane whose deadline is the run's ends itself at it, before it is asked. */
const late = 'window_exhausted';

const askedFor = {
  pause: { class: 'paused', text: 'paused on request; no attempt spent' },
  wall: { class: 'time_spent', text: 'stopped: the active time is spent; no attempt spent' },
} as const;

/** A stop that somebody asked for is no accident, and is not told as one. */
function recoveryLine(
  event: EventOf<'recovery.recorded'>,
  n: number | undefined,
  text: string,
): FactLine {
  const label = n === undefined ? 'recovery' : `attempt ${n}`;
  return event.action === 'stopped'
    ? note(
        '·',
        label,
        event.asked === undefined ? 'stopped; no attempt spent' : askedFor[event.asked].text,
      )
    : note('↻', label, text);
}

function capacityWords({ detail, placed }: EventOf<'run.waiting'>): string {
  if (placed === true) return `for ${firstLine(detail)}`;
  return `for a free slot${detail === '' ? '' : ` (${firstLine(detail)})`}`;
}

function waitFact(event: EventOf<'run.waiting'>, { at }: Scene): Fact {
  const text = {
    rate_limited: `for the limit until ${at(event.until)}; no attempt spent`,
    backoff: `backing off until ${at(event.until)}${event.detail === '' ? '' : `: ${firstLine(event.detail)}`}`,
    no_capacity: capacityWords(event),
    next_tick: `for the next tick at ${at(event.until)}`,
  }[event.reason];
  // Slots are asked for again and again; a line for each would bury the rest.
  const isSlot = event.reason === 'no_capacity' && event.placed === undefined;
  const line = isSlot ? null : note('◷', 'waiting', text);
  return fact(
    'wait',
    [
      ['reason', event.reason],
      ['until', new Date(event.until).toISOString()],
    ],
    line,
  );
}

function findingFact({ finding }: EventOf<'finding.recorded'>): Fact {
  const more = finding.more > 0 ? `, ${finding.more} more` : '';
  const text = `${words(finding.kind)}: ${findingNames(finding).join(', ')}${more}`;
  return fact(
    'finding',
    [
      ['kind', finding.kind],
      ['paths', finding.paths.join(',')],
      ['more', finding.more],
    ],
    note('!', 'finding', text),
  );
}

function sleptFact({ since, until }: EventOf<'machine.slept'>, { at }: Scene): Fact {
  const text = `the machine slept ${at(since)}–${at(until)}; clocks adjusted, nothing counted as silence`;
  return fact(
    'slept',
    [
      ['since', new Date(since).toISOString()],
      ['until', new Date(until).toISOString()],
    ],
    note('◷', 'slept', text),
  );
}

/** What arrived is seen where it arrived; what did not is said here too. */
function noticeFact({ to, state, detail }: EventOf<'notice.recorded'>): Fact {
  const text = `${clean(to)} not delivered: ${clean(detail)}`;
  return fact(
    'notice',
    [
      ['to', to],
      ['state', state],
      ['detail', detail],
    ],
    state === 'delivered' ? null : note('!', 'notice', text),
  );
}
