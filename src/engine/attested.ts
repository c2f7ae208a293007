import type { Digest } from '../domain/ids.ts';
import type { Principal } from '../domain/principal/principal.ts';
import type { Checks } from '../ports/checks.ts';
import type { RunView } from '../ports/client.ts';
import { definitionOf } from './artifact-text.ts';
import type { Engine } from './engine.ts';

export interface AttestingOptions {
  readonly engine: Pick<Engine, 'store' | 'artifacts'>;
  /** Signs what a human looked at; opened on first use. */
  readonly checks: () => Promise<Pick<Checks, 'attest'>>;
}

/** What a human saw at a manual criterion, signed before it counts; nobody else's word is. */
export async function attested(
  { engine, checks }: AttestingOptions,
  { id: run, gate }: RunView,
  said: {
    readonly outcome: 'approved' | 'rejected';
    readonly note: string;
    readonly principal: Principal;
  },
): Promise<Digest | null> {
  const { principal, note, outcome } = said;
  if (gate?.kind !== 'manual' || principal.kind !== 'human') return null;
  const state = (await engine.store.loadRun(run))?.aggregate.run;
  if (state === undefined || state.status === 'unborn') return null;
  const step = state.terms.steps[gate.step];
  if (step?.kind !== 'manual') return null;
  const { approval, commit, look } = gate;
  return (await checks()).attest({
    run,
    approval,
    definition: await definitionOf(engine.artifacts, state.definition),
    commit,
    criterion: step.criterion,
    look,
    outcome: outcome === 'approved' ? 'passed' : 'failed',
    note,
    by: principal.actor,
    channel: principal.channel,
    previous: state.lastReceipt,
  });
}
