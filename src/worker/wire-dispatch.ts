/**
 * A dispatch as it came over the wire, proven before anything works on it: the definition and the
 * instruction are the bytes of the digests that the run was started with.
 */
import { createHash } from 'node:crypto';
import type { WireDispatch } from '../contract/plane-dispatch.ts';
import type { Definition } from '../domain/definition/definition.ts';
import { WorldError } from '../kernel/errors.ts';
import { isFields, parsedJson } from '../kernel/json.ts';
import type { Dispatch } from '../ports/plane.ts';

/** @throws WorldError `plane_refused` naming the part that is not what its digest says. */
export function dispatchOf(wire: WireDispatch): Dispatch {
  const { definitionText, ...rest } = wire;
  expectDigest('definition', definitionText, wire.definitionDigest);
  if (wire.instruction !== null) {
    expectDigest('instruction', wire.prompt, wire.instruction.digest);
  }
  const definition = definitionOf(definitionText);
  // What the schema has proven, with the names of the domain.
  return { ...rest, definition } as unknown as Dispatch;
}

function expectDigest(what: string, text: string, digest: string): void {
  const found = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  if (found === digest) return;
  throw new WorldError('plane_refused', `the ${what} of the dispatch is not that of its digest`, {
    found,
    allowed: digest,
  });
}

/** Made by the engine and proven by its digest: only its version is still to be asked. */
function definitionOf(text: string): Definition {
  const value = parsedJson(text);
  if (!isFields(value) || value['version'] !== 1) {
    throw new WorldError('plane_refused', 'the definition of the dispatch is of another version', {
      found: isFields(value) ? String(value['version']) : 'no definition',
      allowed: '1',
    });
  }
  return value as unknown as Definition;
}
