/**
 * How the worker plane refuses. Texts are constant: they tell which rule was broken and nothing of
 * what would have kept it, so that nobody learns from asking.
 */
import * as z from 'zod';
import { planeWire } from './plane-words.ts';

interface Refusal {
  readonly http: number;
  readonly text: string;
  /** The same message, unchanged, may be taken later. */
  readonly retry: boolean;
}

const refusal = (http: number, text: string, retry = false): Refusal => ({ http, text, retry });

export const planeRefusals = {
  'artifact.mismatch': refusal(422, 'the bytes are not those of the digest'),
  'artifact.unknown': refusal(404, 'no such artifact'),
  'beat.replayed': refusal(409, 'a later beat was heard'),
  'budget.spent': refusal(409, 'the budget does not allow it'),
  'bundle.malformed': refusal(422, 'the bundle is not one that pawl makes'),
  'bundle.missing_base': refusal(422, 'the bundle stands on what is not there'),
  'bundle.not_sound': refusal(422, 'git refuses objects of the bundle'),
  'bundle.not_wanted': refusal(409, 'the grant is not the current one'),
  'bundle.other_refs': refusal(422, 'the bundle carries other refs than its own'),
  'bundle.other_work': refusal(409, 'other work of this execution came in before'),
  'bundle.submodule': refusal(422, 'work in a submodule is not carried'),
  'bundle.too_large': refusal(413, 'the bundle is larger than what is carried'),
  'bundle.too_many_objects': refusal(413, 'the bundle has more objects than what is carried'),
  'bundle.unsafe_link': refusal(422, 'a link of the work leads out of its tree'),
  'bundle.wrong_tip': refusal(422, 'the bundle does not hold the work that was told'),
  'code.invalid': refusal(401, 'the code is not valid'),
  'credential.refused': refusal(403, 'the execution may not have it'),
  'dispatch.failed': refusal(409, 'the dispatch cannot be put together'),
  'event.gap': refusal(409, 'rows are missing before these'),
  'execution.not_open': refusal(409, 'the execution is not in a state for this'),
  'execution.taken': refusal(409, 'the execution is not to be had'),
  'execution.unknown_outcome': refusal(409, 'the outcome is unknown until it is reconciled'),
  'grant.stale': refusal(409, 'the grant is not the current one'),
  'message.invalid': refusal(400, 'the message is not of the contract'),
  'message.too_large': refusal(413, 'the message is larger than allowed'),
  'plane.busy': refusal(503, 'try again later', true),
  'result.wrong_kind': refusal(409, 'the role may not hand in this kind of result'),
  'seal.unattested': refusal(422, 'no statement of it by the key of the worker'),
  'seal.conflict': refusal(409, 'another seal was accepted'),
  'slots.full': refusal(409, 'the worker has no free slot', true),
  'token.expired': refusal(401, 'the token has expired'),
  'token.invalid': refusal(401, 'the token is not valid'),
  'token.missing': refusal(401, 'a token is needed'),
  'token.other': refusal(403, 'the token is for something else'),
  'tools.not_available': refusal(501, 'this server has no tools door'),
  'verb.unknown': refusal(404, 'no such verb'),
  version_moved: refusal(409, 'the run moved on'),
  'wire.unsupported': refusal(
    400,
    `another version of the plane is spoken here: ${planeWire}; use the same release of pawl`,
  ),
  'worker.unfit': refusal(409, 'the job is for another worker'),
  'worker.unknown': refusal(401, 'the worker is not enrolled, or was revoked'),
} as const satisfies Record<string, Refusal>;
export type PlaneRefusalCode = keyof typeof planeRefusals;

export const planeRefusalCodes = Object.keys(planeRefusals) as readonly PlaneRefusalCode[];

export const isRefusalCode = (value: unknown): value is PlaneRefusalCode =>
  typeof value === 'string' && Object.hasOwn(planeRefusals, value);

export const refusalBody = z.strictObject({
  ok: z.literal(false),
  code: z.enum(planeRefusalCodes as [PlaneRefusalCode, ...PlaneRefusalCode[]]),
  message: z.string().max(400),
});

/** Of a message that is not of the contract: where it is not, without what stood there. */
export const bodyOf = (code: PlaneRefusalCode): z.infer<typeof refusalBody> => ({
  ok: false,
  code,
  message: planeRefusals[code].text,
});
