/** What to do when a worker tells that its server refused it; beside the constant texts. */
import type { PlaneRefusalCode } from './plane-refusals.ts';

const late =
  'Nothing: the run went on without this word, which changed nothing and is kept as evidence. `pawl show <run> --events` tells how.';
const release =
  'Use the same release of pawl on the server and on the worker. If they are the same, this is a bug, or something else that speaks to the server.';
const token =
  'Nothing: a worker asks for another by itself. If it goes on, enrol the worker again: `pawl worker enroll` on the server.';
const work =
  'See what the agent left: the page of the run names it (`pawl show <run>`). Tell it what not to commit: `pawl resume <run> --hint "…"`.';
const artifact =
  'Nothing once: it is sent again. If it goes on, look at the disk of the worker and at what stands between it and the server.';
const enroll =
  'Make a new code on the server, at a terminal: `pawl worker enroll`. It is good for 15 minutes and for one worker; type it as it is printed.';
const enrolled =
  'See on the server who is known: `pawl worker list`. To let it work again enrol it with a new code: `pawl worker enroll`.';
const room = 'Nothing: it is asked for again by itself when there is room.';

export const planeRemedies: Readonly<Record<PlaneRefusalCode, string>> = {
  'artifact.mismatch': artifact,
  'artifact.unknown': artifact,
  'beat.replayed': late,
  'budget.spent': 'Allow more, when it is parked: `pawl resume <run> --cost +5`.',
  'bundle.malformed': release,
  'bundle.missing_base': late,
  'bundle.not_sound': work,
  'bundle.not_wanted': late,
  'bundle.other_refs': release,
  'bundle.other_work': late,
  'bundle.submodule': work,
  'bundle.too_large': work,
  'bundle.too_many_objects': work,
  'bundle.unsafe_link': work,
  'bundle.wrong_tip': release,
  'code.invalid': enroll,
  'credential.refused':
    'A worker gets the secrets that the definition of its run names, under `secrets` in pawl.yaml, and no others. Name it there and start the run again: `pawl retry <run> --edit`.',
  'dispatch.failed':
    'The definition or an artifact of the run cannot be read by the server: `pawl show <run>` says what, `pawl doctor` whether the store is whole.',
  'event.gap': late,
  'execution.not_open': late,
  'execution.taken': 'Nothing: another has it.',
  'execution.unknown_outcome':
    'Say what happened, when the run asks for it: `pawl resume <run> --happened`, or `--did-not-happen`.',
  'grant.stale': late,
  'message.invalid': release,
  'message.too_large': release,
  'plane.busy': room,
  'result.wrong_kind': release,
  'seal.unattested': release,
  'seal.conflict': late,
  'slots.full': room,
  'token.expired': token,
  'token.invalid': token,
  'token.missing': token,
  'token.other': token,
  'tools.not_available': release,
  'verb.unknown': release,
  version_moved: late,
  'wire.unsupported': release,
  'worker.unfit':
    'Nothing: another worker, or the server, has the job. `pawl status <run>` says for whom it waits.',
  'worker.unknown': enrolled,
};
