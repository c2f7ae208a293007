/**
 * Prices by a list that is built in, so nothing is fetched. It knows what it knows: for any other
 * model the answer is null, never a guess at a family (ruling 18).
 */
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import type { CallTokens, ModelVendor } from '../../ports/models-door.ts';

/** US dollars at list prices of `at`; null: the list has no price for this model. */
export type Price = (model: string, tokens: CallTokens, at: Date) => number | null;

export interface PricedService {
  readonly vendor: ModelVendor;
  readonly base: string;
  /** Its id in the list; absent: by the address, else the vendor. */
  readonly pricedAs?: string;
}

export function priceOf(service: PricedService): Price {
  const providerId =
    service.pricedAs ?? findProvider({ providerApiUrl: service.base })?.id ?? service.vendor;
  return (model, tokens, timestamp) => {
    const { cacheRead, cacheWrite, cacheWriteHour, output } = tokens;
    const usage = {
      // The list wants the whole input here, and refuses a part that is larger than it.
      input_tokens: tokens.input + cacheRead + cacheWrite,
      cache_read_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
      ...(cacheWriteHour > 0
        ? { cache_write_1h_tokens: Math.min(cacheWriteHour, cacheWrite) }
        : {}),
      output_tokens: output,
    };
    const price = calcPrice(usage, model, { providerId, timestamp })?.total_price;
    return price !== undefined && Number.isFinite(price) ? price : null;
  };
}
