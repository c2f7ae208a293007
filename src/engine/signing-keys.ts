/**
 * Who signs receipts and heads at one database: each server has a key of its own, whose private
 * part never leaves its machine; its public part is a fact of the store, by which the others prove
 * it. They stay as long as the database, since what they signed does.
 */
import { fieldsOf, parsedJson } from '../kernel/json.ts';
import type { Store } from '../ports/store.ts';

export interface SigningKey {
  readonly keyId: string;
  readonly publicKeyPem: string;
  /** Name of the machine that signs with it. */
  readonly machine: string;
}

type Facts = Pick<Store, 'fact' | 'facts' | 'swapFact'>;

const prefix = 'signing/key/';
const keysMax = 1_000;

/** Once for each key; what is there already stays. */
export async function publishSigningKey(store: Facts, key: SigningKey): Promise<void> {
  const name = `${prefix}${key.keyId}`;
  if ((await store.fact(name)) !== null) return;
  const { publicKeyPem, machine } = key;
  await store.swapFact(name, null, JSON.stringify({ publicKeyPem, machine }));
}

export async function signingKeys(store: Facts): Promise<readonly SigningKey[]> {
  return (await store.facts(prefix, keysMax)).flatMap(({ name, value }) => {
    const { publicKeyPem, machine } = fieldsOf(parsedJson(value));
    if (typeof publicKeyPem !== 'string' || typeof machine !== 'string') return [];
    return [{ keyId: name.slice(prefix.length), publicKeyPem, machine }];
  });
}
