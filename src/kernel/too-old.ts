import { ProductError } from './errors.ts';

/** Whether a later program has migrated the store: nothing that this one says will be taken. */
export const isTooOld = (error: unknown): boolean =>
  error instanceof ProductError && error.code === 'store_newer';
