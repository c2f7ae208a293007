/** Which runs go on by themselves, and which have a lane that may live. */
import type { RunView } from '../ports/client.ts';

/** It works or is being cancelled: no human is waited for. */
export const isUnderWay = ({ status }: Pick<RunView, 'status'>): boolean =>
  status === 'active' || status === 'cancelling';

/** Something may follow after its newest execution: a lane that waits for leave lives on. */
export const mayPrint = (view: Pick<RunView, 'status' | 'gate'>): boolean =>
  isUnderWay(view) || view.gate?.kind === 'permission';
