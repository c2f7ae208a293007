/**
 * Questions that stand before a human although nobody waits for the answer (RR-26): the agent took
 * its request back, or its turn ended, and it goes on. Its host says so with its beats; the window
 * is closed, and told as void. No budget is spent; said again, it is moot.
 */
import { withdrawnIn } from '../../domain/recovery/signs.ts';
import type { OpenExecution } from '../../ports/store.ts';
import { driverPrincipal, runCommand } from '../command.ts';
import type { Engine } from '../engine.ts';

/** Answers whether one was closed. The run decides whether it is the one that it waits with. */
export async function closeLeft(
  engine: Pick<Engine, 'issue' | 'clock'>,
  { id, run, status, signals }: Pick<OpenExecution, 'id' | 'run' | 'status' | 'signals'>,
): Promise<boolean> {
  if (status !== 'WAITING_HUMAN') return false;
  const request = withdrawnIn(signals);
  if (request === null) return false;
  const said = { type: 'void_permission', execution: id, request } as const;
  const issued = await engine.issue(runCommand(run, driverPrincipal, engine.clock.now(), said));
  return issued.kind === 'committed';
}
