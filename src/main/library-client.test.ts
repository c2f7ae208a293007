import { expect, test } from 'vitest';
import { operator } from '../../test/support/run-fixtures.ts';
import { may } from '../domain/principal/may.ts';
import type { Client } from '../ports/client.ts';
import type { Principal } from '../ports/words.ts';
import { libraryClient } from './library-client.ts';

/** Every call is answered with the principal that reached it. */
const echo = new Proxy({} as Client, {
  get: (_, name) =>
    name === 'then' ? undefined : (...given: readonly unknown[]) => Promise.resolve(given.at(-1)),
  ownKeys: () => verbs.map(([name]) => name),
  getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
});
/** Every method that somebody issues: one that is added without its line does not compile. */
type Issued = {
  [K in keyof Client]: Principal extends Parameters<Client[K]>[number] ? K : never;
}[keyof Client];

/** How many arguments stand before the principal. */
const issued: Readonly<Record<Issued, number>> = {
  start: 1,
  hint: 2,
  pause: 2,
  resume: 2,
  cancel: 2,
  accept: 2,
  consult: 2,
  answer: 2,
  resolveGate: 2,
  retry: 2,
  recordLanding: 2,
  recordRefusal: 2,
  land: 2,
  prune: 1,
};
const verbs = Object.entries(issued) as readonly (readonly [Issued, number])[];

test.each(verbs)(
  'a program that says it is a human is none: %s (DESIGN 11a)',
  async (name, before) => {
    const call = async (ancestry: 'clean' | 'lane') => {
      const client = libraryClient(echo, {
        ancestry,
        foundName: ancestry === 'lane' ? 'x.2' : null,
      });
      const verb = client[name] as (...given: readonly unknown[]) => Promise<unknown>;
      return (await verb(...Array.from({ length: before }), operator)) as Principal;
    };
    const program = await call('clean');
    expect(program).toMatchObject({
      kind: 'automation',
      channel: 'library',
      actor: operator.actor,
    });
    expect(may(program, 'accept')).toBe(false);
    expect(await call('lane')).toMatchObject({ kind: 'lane', actor: 'x.2' });
  },
);
