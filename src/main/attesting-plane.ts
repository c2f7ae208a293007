/** The plane of hosts of this machine: what they hand in is attested by the installation's key. */
import { type LocalPlaneOptions, localPlane } from '../engine/local-plane.ts';
import type { Plane } from '../ports/plane.ts';
import { sealAttestor } from '../verify/seal-attestor.ts';
import { diskSigner } from '../verify/signer.ts';
import { keyDirectory } from './places.ts';
import type { Runtime } from './runtime.ts';

export function attestingPlane(
  { around, engine }: Pick<Runtime, 'around' | 'engine'>,
  options: LocalPlaneOptions = {},
): Plane {
  const plane = localPlane(engine, options);
  return {
    ...plane,
    result: async (message) => {
      const signer = diskSigner({ directory: keyDirectory(around) });
      const text = sealAttestor(signer, engine.clock).attest(message);
      const attestation = await engine.artifacts.put(text, 'attestation');
      return plane.result({ ...message, attestation });
    },
  };
}
