/**
 * The head of a bundle, read before git is let near it: what it stands on, the one ref that it
 * carries, how many objects its pack says it has. Pure.
 */
import type { BundleRefusal } from '../ports/source.ts';
import type { Commit } from '../ports/words.ts';

export interface BundleHead {
  readonly needs: readonly Commit[];
  readonly tip: Commit;
  readonly ref: string;
  readonly objects: number;
  /** Where the pack begins. */
  readonly packAt: number;
}
export type HeadRead =
  | { readonly ok: true; readonly head: BundleHead }
  | { readonly ok: false; readonly reason: BundleRefusal; readonly detail: string };

const headBytesMax = 64 * 1024;
const needsMax = 256;
const packHeadBytes = 12;

/** The only name that our own bundles carry. */
export const outgoingRef = (name: string): string => `refs/pawl/outgoing/${name}`;
const ownRef = /^refs\/pawl\/outgoing\/[A-Za-z0-9][A-Za-z0-9-]*(\.[A-Za-z0-9-]+)*$/;
const objectId = '[0-9a-f]{40}(?:[0-9a-f]{24})?';

const refused = (reason: BundleRefusal, detail: string): HeadRead => ({
  ok: false,
  reason,
  detail,
});

export function readBundleHead(bytes: Uint8Array): HeadRead {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, headBytesMax));
  const end = start.indexOf('\n\n');
  if (end < 0) return refused('bundle.malformed', 'its head does not end');
  const lines = start.subarray(0, end).toString('latin1').split('\n');
  const body = bodyOf(lines);
  if (body === null) return refused('bundle.malformed', 'it is not a bundle that pawl makes');
  const needs = body.filter((line) => line.startsWith('-'));
  const refs = body.filter((line) => !line.startsWith('-'));
  if (refs.length !== 1) return refused('bundle.other_refs', `it carries ${refs.length} refs`);
  const [, tip, ref] = new RegExp(`^(${objectId}) (\\S+)$`).exec(refs[0] ?? '') ?? [];
  if (tip === undefined || ref === undefined) return refused('bundle.malformed', 'its ref');
  if (!ownRef.test(ref)) return refused('bundle.other_refs', `it carries ${ref.slice(0, 100)}`);
  const ids = needs.flatMap((line) => new RegExp(`^-(${objectId})(?: |$)`).exec(line)?.[1] ?? []);
  if (ids.length > needsMax || ids.length !== needs.length) {
    return refused('bundle.malformed', 'what it stands on');
  }
  const packAt = end + 2;
  const objects = objectsIn(bytes, packAt);
  if (objects === null) return refused('bundle.malformed', 'no pack follows its head');
  const head = { needs: ids as Commit[], tip: tip as Commit, ref, objects, packAt };
  return { ok: true, head };
}

/** The lines after signature and capabilities; null for what pawl does not make (a filter). */
function bodyOf(lines: readonly string[]): readonly string[] | null {
  const [signature, ...rest] = lines;
  if (signature === '# v2 git bundle')
    return rest.some((line) => line.startsWith('@')) ? null : rest;
  if (signature !== '# v3 git bundle') return null;
  const capabilities = rest.filter((line) => line.startsWith('@'));
  const isKnown = capabilities.every((line) => /^@object-format=sha(1|256)$/.test(line));
  return isKnown ? rest.slice(capabilities.length) : null;
}

function objectsIn(bytes: Uint8Array, at: number): number | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.max(0, bytes.length - at));
  if (head.length < packHeadBytes || head.toString('latin1', 0, 4) !== 'PACK') return null;
  return head.readUInt32BE(4) === 2 ? head.readUInt32BE(8) : null;
}
