/** A run as programs read it: `pawl.run/1` (UX 2.4). Fields are only added within a version. */
import type { RunView } from '../ports/client.ts';
import { isCostKnown, iso } from './format.ts';
import { deliveryOf, livenessOf } from './liveness.ts';
import { type Step, stepsFor } from './next.ts';

export interface RunJson {
  readonly schema: 'pawl.run/1';
  readonly [field: string]: unknown;
}

export function runJson(view: RunView, next: readonly Step[] = stepsFor(view, 'pawl')): RunJson {
  return {
    schema: 'pawl.run/1',
    id: view.id,
    short: view.short,
    name: view.name,
    project: view.project,
    goal: view.goal,
    status: view.status,
    dryRun: view.dryRun ?? false,
    phase: view.phase,
    disposition: view.disposition,
    reason: view.reason,
    detail: view.detail,
    verification: view.verification,
    attempt: view.attempt,
    attempts: view.attempts.map(attemptJson),
    liveness: livenessJson(view),
    delivery: deliveryOf(view),
    noWork: view.noWork ?? null,
    lane: laneOf(view.maker),
    base: view.base,
    baseBranch: view.baseBranch,
    branch: view.branch,
    head: view.head,
    baseline: view.baseline,
    receipt: view.receipt,
    receiptDamaged: view.receiptDamaged ?? false,
    landed: view.landed,
    pr: view.proposed ?? null,
    spent: spentJson(view),
    brakes: view.granted,
    resumesAt: iso(view.resumesAt ?? view.waiting?.until ?? null),
    waitingFor: waitingFor(view),
    approval: approvalJson(view),
    driver: driverJson(view),
    resumedFrom: view.resumedFrom ?? null,
    retriedAs: view.retriedAs ?? null,
    worker: view.worker ?? null,
    unproven: view.unproven,
    refusedGates: view.refusedGates,
    ancestryUnknown: view.ancestryUnknown,
    notices: view.notices ?? [],
    startedBy: view.startedBy,
    startedAt: iso(view.startedAt),
    endedAt: iso(view.endedAt),
    next: next.filter(({ command }) => isCommand(command)),
  };
}

/** What a person does in two steps is no command that a program could run. */
const isCommand = (command: string): boolean => !/\s{2,}then\s/.test(command);

function livenessJson(view: RunView) {
  const liveness = livenessOf(view);
  return liveness === null
    ? null
    : { ...liveness, since: iso(liveness.since), deadline: iso(liveness.deadline) };
}

/** `fixer@node:small` → its parts; every lane of this version is a command. */
export function laneOf(maker: string) {
  const [, named = maker] = maker.split('@');
  const colon = named.indexOf(':');
  return {
    agent: colon < 0 ? named : named.slice(0, colon),
    model: colon < 0 ? null : named.slice(colon + 1),
    version: null,
    driver: 'command',
  };
}

function spentJson({ spent }: RunView) {
  const { costUsd, selfReported, tokensIn, tokensOut, cacheRead, cacheWrite, activeMs } = spent;
  const isKnown = isCostKnown(spent);
  const source = !isKnown ? 'none' : selfReported ? 'self-reported' : 'metered';
  return {
    costUsd: isKnown ? costUsd : null,
    source,
    tokensIn,
    tokensOut,
    cacheRead,
    cacheWrite,
    activeMs,
  };
}

/** The same names wherever attempts of a run are told. */
export function attemptJson(attempt: RunView['attempts'][number]) {
  const { n, outcome, summary, commit, receipt, failedTests, score, endedAt, refused } = attempt;
  const measured = { failedTests, score, endedAt: iso(endedAt), refused: refused ?? null };
  return { n, outcome, verdict: outcome, summary, receiptId: receipt, commit, ...measured };
}

/** What waits for a human; null: nothing does. */
function approvalJson({ gate, definition }: RunView) {
  if (gate === null) return null;
  const { approval: id, kind, askedAt, expiresAt } = gate;
  const open = { id, kind, askedAt: iso(askedAt), expiresAt: iso(expiresAt) };
  if (gate.kind !== 'permission') return open;
  const { tool, title, args, definition: of } = gate.ask;
  return { ...open, tool, call: title, digests: { args, tool: of, policy: definition ?? null } };
}

function waitingFor(view: RunView): string | null {
  if (view.gate !== null) return view.gate.kind;
  return view.waiting?.reason ?? null;
}

function driverJson({ driver }: RunView) {
  return driver === null
    ? null
    : { pid: driver.holder.pid, host: driver.holder.worker, since: iso(driver.since) };
}
