import type { BundleLimits, SourceExchange } from '../ports/source.ts';
import { workLimits } from './make-bundle.ts';
import { type PlaceOptions, placeOf } from './repository.ts';
import { offerSource } from './source-offer.ts';
import { takeIn } from './take-in.ts';

/** The side of the repository; see {@link SourceExchange}. */
export function gitExchange(
  options: PlaceOptions & { readonly limits?: Partial<BundleLimits> },
): SourceExchange {
  const place = placeOf(options);
  const limits = { ...workLimits, ...options.limits };
  return {
    offer: (request) => offerSource(place, request),
    takeIn: (work, isWanted) => takeIn(place, { work, limits, isWanted }),
  };
}
