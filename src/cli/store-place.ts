import type { Context } from './command.ts';

/** Where the store is that a command has found nothing in: another than was meant shows by it. */
export async function storePlace({ options }: Context): Promise<string> {
  const { place } = await (await options.storeAdmin(null)).status();
  return place;
}
