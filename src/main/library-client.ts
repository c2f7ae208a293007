/**
 * The client as a program gets it: whatever a caller says it is, a program is a program. Only the
 * command line, which looks at its terminal and its ancestors, and later the sign-in of the
 * operator UI, speak for a human (DESIGN §11a).
 */
import type { Ancestry } from '../host/ancestry.ts';
import type { Client } from '../ports/client.ts';
import type { Principal } from '../ports/words.ts';

export function libraryClient(
  client: Client,
  { ancestry, foundName }: Pick<Ancestry, 'ancestry' | 'foundName'>,
): Client {
  /** A lane is named by what was found, so that it cannot pass for another caller. */
  const as = (claimed: Principal): Principal =>
    ancestry === 'lane'
      ? { kind: 'lane', actor: foundName ?? 'a lane', channel: 'library', ancestry }
      : { kind: 'automation', actor: claimed.actor, channel: 'library', ancestry };
  return {
    ...client,
    start: (request, principal) => client.start(request, as(principal)),
    hint: (run, text, principal, ...when) => client.hint(run, text, as(principal), ...when),
    pause: (run, now, principal) => client.pause(run, now, as(principal)),
    resume: (run, request, principal) => client.resume(run, request, as(principal)),
    cancel: (run, note, principal, ...now) => client.cancel(run, note, as(principal), ...now),
    accept: (run, reason, principal) => client.accept(run, reason, as(principal)),
    consult: (run, profiles, principal) => client.consult(run, profiles, as(principal)),
    answer: (run, text, principal) => client.answer(run, text, as(principal)),
    resolveGate: (run, answer, principal) => client.resolveGate(run, answer, as(principal)),
    retry: (run, request, principal) => client.retry(run, request, as(principal)),
    recordLanding: (run, landing, principal) => client.recordLanding(run, landing, as(principal)),
    recordRefusal: (run, command, refused) => client.recordRefusal(run, command, as(refused)),
    land: (run, request, principal) => client.land(run, request, as(principal)),
    prune: (items, principal) => client.prune(items, as(principal)),
  };
}
