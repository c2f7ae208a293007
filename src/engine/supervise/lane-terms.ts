/** What the run of an execution says about its recovery, and the word that its lane is given. */
import type { Execution } from '../../domain/execution/state.ts';
import {
  type RecoveryFigures,
  recoveryDefaults,
  recoveryFigures,
} from '../../domain/recovery/figures.ts';
import type { LaneStep, LaneTold } from '../../domain/recovery/lane.ts';
import type { OpenExecution, Store } from '../../ports/store.ts';
import { driverPrincipal, executionCommand } from '../command.ts';
import type { Engine } from '../engine.ts';

export interface LaneTerms {
  readonly figures: RecoveryFigures;
  readonly execution: Execution | null;
}

/** Its run is read only where a figure of it is asked for. */
export async function termsOf(
  store: Pick<Store, 'loadRun'>,
  open: OpenExecution,
  told: LaneTold | null,
): Promise<LaneTerms> {
  if (told?.state !== 'stalled') return { figures: recoveryDefaults, execution: null };
  const loaded = await store.loadRun(open.run);
  const execution = loaded?.aggregate.executions.find(({ id }) => id === open.id) ?? null;
  const run = loaded?.aggregate.run;
  const isBorn = run !== undefined && run.status !== 'unborn';
  const figures = isBorn ? recoveryFigures(run.terms.recovery) : recoveryDefaults;
  return { figures, execution };
}

/** A fact of its execution, with its number: whoever says the same says nothing new. */
export async function nudge(
  engine: Engine,
  open: OpenExecution,
  { n, detail }: Extract<LaneStep, { readonly do: 'nudge' }>,
): Promise<boolean> {
  const at = engine.clock.now();
  const said = { type: 'nudge', n, detail, at } as const;
  const issued = await engine.issue(executionCommand(open.run, open.id, driverPrincipal, said));
  return issued.kind === 'committed';
}
