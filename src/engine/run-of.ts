import type { ExecutionId, RunId } from '../domain/ids.ts';

/** The run that an execution belongs to: its id is `<run>.<n>`. */
export const runOf = (execution: ExecutionId): RunId =>
  execution.slice(0, Math.max(0, execution.lastIndexOf('.'))) as RunId;
