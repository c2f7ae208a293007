/** What detection and git say about the project: the facts that `init`, `run`, `checks` show. */
import { join } from 'node:path';
import type { Detected, InstalledAgent } from '../ports/detection.ts';
import type { Checkout } from '../ports/workspace.ts';
import type { Context } from './command.ts';

export interface Discovery {
  readonly checkout: Checkout;
  readonly detected: Detected;
  /** `.env` files that git ignores, relative to the root: what a fresh checkout lacks. */
  readonly leftBehind: readonly string[];
}

/** `folder`: where to begin to look; absolute. */
export async function discover(context: Context, folder: string): Promise<Discovery> {
  const workspace = await context.workspace();
  const checkout = await workspace.inspect(context.directory);
  const { root } = checkout;
  const detection = await context.options.detection();
  const detected = await detection.project({ directory: folder, root });
  return {
    checkout,
    detected,
    leftBehind: checkout.git ? await workspace.ignored(root, detected.environmentFiles) : [],
  };
}

/** Where setup and checks run: the folder of the nearest manifest, else the root. Absolute. */
export function manifestFolder({ checkout, detected }: Discovery): string {
  return join(checkout.root, detected.cwd ?? '');
}

export function discoveryJson({ detected, leftBehind }: Discovery) {
  const { cwd, packageManager, setup, checks, notes } = detected;
  return { cwd, packageManager, setup, checks, notes, leftBehind };
}

export function agentsJson(agents: readonly InstalledAgent[]) {
  return agents.map(({ agent, version, login }) => ({ name: agent.name, version, login }));
}
