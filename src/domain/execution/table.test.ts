/**
 * Goal: every message in every state does what DESIGN §4.2 says, and nothing else (XP-32).
 * Method: each state is reached by its events, along every edge that leads there; the table below
 * was written from the design, cell by cell, and not from the decider.
 */
import { describe, expect, test } from 'vitest';
import * as of from '../../../test/support/execution-fixtures.ts';
import { digest, executed, execution, failed } from '../../../test/support/run-fixtures.ts';
import { decide } from './decide.ts';
import { evolve } from './evolve.ts';
import type { ExecutionCommand, ExecutionEvent } from './message.ts';
import type { Execution, ExecutionStatus, Job, JobResult } from './state.ts';

const { id } = of;
const asked: ExecutionEvent = { type: 'execution.asked', id, ask: of.question };
const answered: ExecutionEvent = {
  type: 'execution.answered',
  id,
  answer: { request: 'p1', decision: 'allow' },
};
const recovering: ExecutionEvent = { type: 'execution.recovering', id, detail: 'gone' };
const end = { proof: 'kernel', detail: 'gone' } as const;
const lost = { ...end, id, seal: null, result: null } as const;
const sealed = { ...end, id, seal: digest('seal'), result: failed('lane_died') } as const;
const exhausted = { class: 'window_exhausted' } as const;
const cancelled = { type: 'execution.cancelled', id, proof: 'kernel' } as const;
const succeeded = {
  type: 'execution.succeeded',
  id,
  seal: digest('late'),
  result: executed(),
} as const;
const sealing = (result: JobResult) => of.seal('g1', 'x', result);
const ackUnproven = of.acknowledge('g1', 'unproven');
const window = { class: 'window_exhausted' } as const;
const unknown = { class: 'unknown_outcome' } as const;
const leased = [of.dispatched, of.leased];
const running = [...leased, of.started];
const checkpointed = [...running, of.checkpointed];
const waiting = [...running, asked];
const cancelling = [...running, of.cancelRequested];

type Ways = readonly (readonly ExecutionEvent[])[];

/** Each with the edges that lead there; how it was reached shows where it still matters. */
const ways: Readonly<Record<string, Ways>> = {
  D: [[of.dispatched]],
  L: [leased],
  R: [running, [...checkpointed, of.started]],
  Ra: [[...waiting, answered]],
  K: [checkpointed, [...checkpointed, of.checkpointed]],
  W: [waiting, [...leased, asked], [...checkpointed, asked]],
  X: [leased, running, checkpointed, waiting].map((before) => [...before, of.cancelRequested]),
  V: [leased, running, checkpointed, waiting].map((before) => [...before, recovering]),
  Vx: [[...cancelling, recovering]],
  Ss: [leased, running, checkpointed, waiting, cancelling].map((one) => [...one, of.succeeded]),
  Sa: [[of.dispatched, { ...succeeded, adopted: execution(0) }]],
  Fl: [
    [...running, recovering, { type: 'execution.failed', class: 'lane_died', ...lost }],
    [...running, of.unknown, { type: 'execution.reconciled', id, happened: true }],
  ],
  Fs: [[...running, { type: 'execution.failed', class: 'lane_died', ...sealed }]],
  El: [[...running, recovering, { type: 'execution.exhausted', ...exhausted, ...lost }]],
  Es: [[...running, { type: 'execution.exhausted', ...exhausted, ...sealed }]],
  Ca: [[...cancelling, cancelled]],
  Cw: [[of.dispatched, cancelled]],
  U: [
    [...running, recovering, of.unknown],
    [...cancelling, recovering, of.unknown],
    [...cancelling, of.unknown],
  ],
};
const names: Readonly<Record<string, ExecutionStatus>> = {
  ...{ D: 'DISPATCHED', L: 'LEASED', R: 'RUNNING', K: 'CHECKPOINTED', W: 'WAITING_HUMAN' },
  ...{ X: 'CANCEL_REQUESTED', V: 'RECOVERING', S: 'SUCCEEDED', F: 'FAILED', E: 'EXHAUSTED' },
  ...{ C: 'CANCELLED', U: 'UNKNOWN' },
};
const refusals: Readonly<Record<string, string>> = {
  no: 'execution.not_open',
  tk: 'execution.taken',
  st: 'grant.stale',
  ac: 'already.accepted',
  cf: 'seal.conflict',
  uo: 'execution.unknown_outcome',
};

const byOther = (next: (name: string) => ExecutionCommand) => next('g0');
const failing = failed('lane_died');
const overtime = failed('window_exhausted');
const unproven = { proof: 'unproven' } as const;

/** Columns as in `ways`: where it leads, state by state, or why it is refused. */
const table: readonly (readonly [string, ExecutionCommand, string])[] = [
  //                               D  L  R  Ra K  W  X  V  Vx Ss Sa Fl Fs El Es Ca Cw U
  ['dispatch', of.dispatch, '      no no no no no no no no no no no no no no no no no no'],
  ['claim', of.claim('g2', 'n2'), 'L  tk tk tk tk tk tk tk tk tk tk tk tk tk tk tk tk uo'],
  ['claim, again', of.claim(), '   L  ac ac ac ac ac ac tk tk tk tk tk tk tk tk tk tk uo'],
  ['start', of.begin(), '          st R  ac ac R  no no st st no st st no st no no st uo'],
  ['checkpoint', of.save(), '      st no K  K  K  no no st st no st st no st no no st uo'],
  ['result', of.seal('g1', 'x'), ' st S  S  S  S  S  S  st st cf st st cf st cf no st uo'],
  ['result, again', of.seal(), '   st S  S  S  S  S  S  st st ac st st ac st ac no st uo'],
  ['failure', sealing(failing), '  st F  F  F  F  F  F  st st cf st st cf st cf no st uo'],
  ['overtime', sealing(overtime), 'st E  E  E  E  E  E  st st cf st st cf st cf no st uo'],
  ['ask', of.ask('g1', 'p2'), '    st W  W  W  W  no no st st no st st no st no no st uo'],
  ['ask, again', of.ask(), '       st W  W  ac W  ac no st st no st st no st no no st uo'],
  ['answer', of.answer(), '        no no no no no R  no no no no no no no no no no no uo'],
  ['answer other', of.answer('p9'), 'no no no no no no no no no no no no no no no no no uo'],
  ['nudge', of.nudge(), '          no L  R  R  K  no no no no no no no no no no no no uo'],
  ['nudge, out of turn', of.nudge(2), 'no ac ac ac ac no no no no no no no no no no no no uo'],
  ['cancel', of.askCancel, '       C  X  X  X  X  X  ac no no no no no no no no no no uo'],
  ['ack', of.acknowledge(), '      st no no no no no C  st st no st st no st no ac st uo'],
  ['ack, unproven', ackUnproven, ' st no no no no no U  st st no st st no st no ac st uo'],
  ['start, other', byOther(of.begin), 'st st st st st st st st st st st st st st st st st uo'],
  ['checkpoint, other', byOther(of.save), 'st st st st st st st st st st st st st st st st st uo'],
  ['result, other', byOther(of.seal), 'st st st st st st st st st st st st st st st st st uo'],
  ['ask, other', byOther(of.ask), 'st st st st st st st st st st st st st st st st st uo'],
  ['ack, other', byOther(of.acknowledge), 'st st st st st st st st st st st st st st st st st uo'],
  ['lose', of.lose(), '           no VF VF VF VF VF VC VF VC no no no no no no no no uo'],
  ['lose, unproven', of.lose(unproven), 'no VF VF VF VF VF VU VF VU no no no no no no no no uo'],
  ['lose, window', of.lose(window), 'no VE VE VE VE VE VC VE VC no no no no no no no no uo'],
  ['lose, unknown', of.lose(unknown), 'no VU VU VU VU VU VU VU VU no no no no no no no no uo'],
  ['withdraw', of.withdraw, '      C  tk tk tk tk tk tk tk tk tk tk tk tk tk tk tk tk uo'],
  ['adopt', of.adopt(), '          S  st st st st st st st st st ac st st st st st st uo'],
  ['adopt, other', of.adopt('g9'), 'st st st st st st st st st st st st st st st st st uo'],
  ['reconcile', of.reconcile, '    no no no no no no no no no no no no no no no no no F'],
];

/** What a check, of whatever state, answers otherwise: it is run again, asks nobody, is no seal. */
const ofChecks: typeof table = [
  ['ask', of.ask('g1', 'p2'), '    st no no no no no no st st no st st no st no no st uo'],
  ['nudge', of.nudge(), '          no no no no no no no no no no no no no no no no no uo'],
  ['ack, unproven', ackUnproven, ' st no no no no no C  st st no st st no st no ac st uo'],
  ['lose, unproven', of.lose(unproven), 'no VF VF VF VF VF VC VF VC no no no no no no no no uo'],
  ['lose, unknown', of.lose(unknown), 'no VF VF VF VF VF VC VF VC no no no no no no no no uo'],
  ['adopt', of.adopt(), '          st st st st st st st st st st ac st st st st st st uo'],
];

const cells = (rows: typeof table, job?: Job) =>
  rows.flatMap(([message, command, row]) =>
    Object.entries(ways).flatMap(([column, histories], n) => {
      const cell = row.trim().split(/ +/)[n] ?? '';
      return histories.map((history) => ({ message, command, column, cell, history, job }));
    }),
  );

describe.each([
  ['lane', cells(table)],
  ['check', cells(ofChecks, { ...of.job, role: 'verify' })],
])('of a %s', (_, all) => {
  test.each(all)('$message in $column: $cell (XP-14, XP-15, XP-32)', ({ job, ...one }) => {
    const before = one.history.reduce<Execution | null>(evolve, null);
    if (before === null) throw new Error('nothing was dispatched');
    const state = job === undefined ? before : { ...before, job };
    expect(state.status).toBe(names[one.column.charAt(0)]);
    const decided = decide(state, one.command);
    if (!decided.ok) return expect(decided.error.code).toBe(refusals[one.cell]);
    const reached: ExecutionStatus[] = [];
    let now: Execution = state;
    for (const event of decided.value) {
      now = evolve(now, event);
      reached.push(now.status);
    }
    expect(reached).toEqual([...one.cell].map((name) => names[name]));
  });
});

test('the table has a cell for every message in every state', () => {
  for (const [message, , row] of [...table, ...ofChecks]) {
    expect(row.trim().split(/ +/), message).toHaveLength(Object.keys(ways).length);
  }
  const reached = Object.keys(ways).map((column) => names[column.charAt(0)]);
  expect(new Set(reached)).toEqual(new Set(of.statuses));
  const told: Readonly<Record<ExecutionCommand['type'], true>> = {
    ...{ dispatch: true, claim: true, start: true, checkpoint: true, result: true, ask: true },
    ...{ answer: true, request_cancel: true, cancel_ack: true, lose: true, withdraw: true },
    ...{ adopt: true, reconcile: true, nudge: true },
  };
  expect(new Set(table.map(([, { type }]) => type))).toEqual(new Set(Object.keys(told)));
});

test('nobody holds a grant of what is lost, recovering or unknown, nor of what nobody claimed (X1, X5)', () => {
  for (const column of ['D', 'V', 'Vx', 'Sa', 'Fl', 'El', 'Cw', 'U']) {
    for (const history of ways[column] ?? []) {
      const state = history.reduce<Execution | null>(evolve, null);
      expect(state?.grant, column).toBeNull();
    }
  }
});
