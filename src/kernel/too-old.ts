import { ProductError } from './errors.ts';

/** Whether a later program has migrated the store: nothing that this one says will be taken. */
export const isTooOld = (error: unknown): boolean =>
  error instanceof ProductError && error.code === 'store_newer';

/** For whoever leaves: a store that was migrated since sees by itself that he is gone. */
export async function unlessTooOld(leave: () => Promise<void>): Promise<void> {
  try {
    await leave();
  } catch (error: unknown) {
    if (!isTooOld(error)) throw error;
  }
}
