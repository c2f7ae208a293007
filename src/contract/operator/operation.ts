/** What an operation is: the one row from which server, client and OpenAPI document are made. */
import type * as z from 'zod';

export interface Operation<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST';
  /** With `:name` where a parameter stands. */
  readonly path: string;
  readonly summary: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly response: R;
  /** Work that takes minutes (a check is run, every chain is read). */
  readonly isLong?: true;
  /** The answer is no JSON. */
  readonly media?: 'application/octet-stream' | 'text/event-stream';
}

export const operation = <
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
>(
  row: Operation<P, Q, B, R>,
): Operation<P, Q, B, R> => row;
