/**
 * The models door as its surroundings see it (DESIGN §11): a reverse proxy on loopback between one
 * lane and the model APIs. It meters, holds the budget inside a turn, and tells what it sees. The
 * host opens and closes it with its execution; what must last is a Plane's business.
 */
import type { Usage } from '../domain/execution/state.ts';
import type { Instant } from '../domain/ids.ts';

export type ModelApi = 'anthropic' | 'chat' | 'responses' | 'gemini';
/** Who is asked; `openai` also stands for any service that speaks OpenAI's APIs. */
export type ModelVendor = 'anthropic' | 'openai' | 'google';

/** Tokens of one call. The first four are disjoint; the rest say more about them. */
export interface CallTokens {
  /** Input that was neither read from nor written to a cache. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** All output, reasoning included. */
  readonly output: number;
  /** The part of `output` that is reasoning. */
  readonly reasoning: number;
  /** The part of `cacheWrite` that is kept for an hour, which costs more. */
  readonly cacheWriteHour: number;
}

/** What one answered call came to. */
export interface MeteredCall {
  readonly api: ModelApi;
  /** As the service named it in its answer, else as it was asked for; null: neither said. */
  readonly model: string | null;
  readonly tokens: CallTokens;
  /** False: the answer was cut or told no usage, and the figures are estimated from its bytes. */
  readonly exact: boolean;
  /** US dollars at list prices; null: the price of this model is not known. */
  readonly costUsd: number | null;
}

/** Everything this door has metered; it only grows. */
export interface DoorUsage {
  /** The four disjoint counts and the known cost, in the form that a heartbeat carries. */
  readonly usage: Usage;
  readonly calls: number;
  /** Of these, estimated ones. */
  readonly inexact: number;
  /** Models without a known price; their tokens count, their cost does not. At most 20. */
  readonly unpriced: readonly string[];
}

export type RefusalReason =
  | 'budget_exceeded'
  | 'limit_until'
  | 'credential_refused'
  | 'upstream_down'
  | 'server_tools'
  | 'unreadable_body'
  | 'body_too_large'
  | 'not_allowed';

/** What the door sees, as it sees it; `call` is unique within one door, `atMs` monotonic. */
export type DoorSignal = { readonly atMs: number } & (
  | {
      readonly kind: 'requested';
      readonly call: number;
      readonly api: ModelApi;
      readonly model: string | null;
      /** Bytes of the request. */
      readonly bytes: number;
    }
  | { readonly kind: 'headers'; readonly call: number; readonly status: number }
  | { readonly kind: 'first_byte'; readonly call: number }
  | {
      readonly kind: 'ended';
      readonly call: number;
      /** `cut`: the answer broke off; `left`: the lane hung up; `hung`: a deadline passed. */
      readonly how: 'done' | 'cut' | 'left' | 'hung' | 'failed';
      readonly metered: MeteredCall | null;
    }
  | {
      readonly kind: 'refused';
      readonly call: number | null;
      readonly reason: RefusalReason;
      readonly detail: string;
    }
  /** A short limit that the lane bridges by itself. `until` null: the service did not say. */
  | { readonly kind: 'limit_waiting'; readonly call: number; readonly until: Instant | null }
  /** Requests are refused now; the run is better parked. */
  | { readonly kind: 'limit_parked'; readonly until: Instant | null; readonly why: string }
  | { readonly kind: 'credential_refused'; readonly status: number; readonly vendor: ModelVendor }
  | { readonly kind: 'upstream_down'; readonly failures: number }
  /** A tool ran at the provider though none was let through: a breach, not a notice (PL-81). */
  | { readonly kind: 'server_tool_seen'; readonly call: number; readonly tool: string }
);

/** The present, for liveness: an open request is work of the model, not silence of the lane. */
export interface DoorState {
  readonly inFlight: readonly CallInFlight[];
  /** Monotonic; null before the first byte of any answer. */
  readonly lastByteMs: number | null;
  /** Why requests are refused now; null: they are let through. */
  readonly closed: DoorClosed | null;
  /**
   * How the newest call of the lane's work failed; null: it was answered, or there was none. A call
   * that offers the model no tools is a side errand, and says nothing here.
   */
  readonly trouble: DoorTrouble | null;
}
/** `lost`: no answer, or one that broke off. `context`: refused as longer than the model takes. */
export type DoorTrouble = 'lost' | 'context';
export interface CallInFlight {
  readonly call: number;
  readonly api: ModelApi;
  readonly model: string | null;
  readonly sinceMs: number;
  readonly phase: 'requested' | 'headers' | 'streaming';
  readonly lastByteMs: number | null;
}
export type DoorClosed =
  | { readonly why: 'budget'; readonly limit: 'cost' | 'tokens' }
  | { readonly why: 'limit'; readonly until: Instant | null }
  | { readonly why: 'credential' }
  | { readonly why: 'upstream' };

/** A budget as the door asks it. It is asked before every call and told after every call. */
export interface ModelBudget {
  /** Holds the estimate back for the call, or says which limit leaves no room for it. */
  reserve(call: number, estimate: Spend): Promise<Reservation>;
  /** Replaces what was held back by what it came to. Never refuses: the money is spent. */
  settle(call: number, spent: Spend): Promise<void>;
  /** Gives back what was held back: the call cost nothing. */
  release(call: number): Promise<void>;
}
export interface Spend {
  readonly tokens: number;
  /** Null: the price is not known; then tokens and time are what holds (ruling 18). */
  readonly costUsd: number | null;
}
export type Reservation =
  | { readonly ok: true }
  | { readonly ok: false; readonly limit: 'cost' | 'tokens' };

/** How the lane's calls are authorised. With `direct` no door is opened at all. */
export type DoorMode = 'inject' | 'pass';

export interface UpstreamTarget {
  /**
   * `https://api.openai.com`; plain http is taken for loopback alone. The version is the path's.
   */
  readonly base: string;
  /** CredentialRef of the key; null in mode `pass`, where the lane's own is passed on unread. */
  readonly credential: string | null;
  /** Taken off the front of the lane's path where the service has no such part (`/v1`). */
  readonly stripPrefix?: string;
  /** Its id in the list of prices; absent: what the address says, else the vendor. */
  readonly pricedAs?: string;
}

export interface DoorRequest {
  readonly mode: DoorMode;
  readonly upstreams: Readonly<Partial<Record<ModelVendor, UpstreamTarget>>>;
  readonly budget: ModelBudget;
  /** Called in order; must not throw. */
  readonly onSignal: (signal: DoorSignal) => void;
}

export interface ModelsDoor {
  /** `http://127.0.0.1:PORT/x/TOKEN`: what a lane is given for a base address. A secret. */
  readonly url: string;
  /** The secret part of `url`, to be redacted from whatever a lane prints. */
  readonly token: string;
  state(): DoorState;
  usage(): DoorUsage;
  /** Lets requests through again after the cause was dealt with (a grant, a login, the reset). */
  reopen(): void;
  /** Ends open calls, settles them, and stops listening. Idempotent. */
  close(): Promise<void>;
}

/** What a lane host asks for: the services follow from the secrets that there are. */
export interface LaneDoorOpening extends Pick<DoorRequest, 'mode' | 'onSignal'> {
  /** Resolved secrets of the definition, by name; keys of model services are among them. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Variables that the definition sets for the lane; an address of a service may be among them. */
  readonly set: Readonly<Record<string, string>>;
  /** What this execution may spend; null: not braked. */
  readonly limits: { readonly costUsd: number | null; readonly tokens: number | null };
  readonly onFailure: (error: unknown) => void;
}
export interface LaneModelsDoor extends ModelsDoor {
  /** What the lane is given to reach the door, over whatever else its environment holds. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of secrets that the lane is not given. */
  readonly withheld: readonly string[];
}
export type OpenLaneModelsDoor = (opening: LaneDoorOpening) => Promise<LaneModelsDoor>;

/** Opens a door; it listens when the promise settles. @throws ProductError of a bad set-up. */
export type OpenModelsDoor = (request: DoorRequest) => Promise<ModelsDoor>;
