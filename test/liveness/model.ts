/** A scripted model for lanes behind the door, which does what the condition in the goal says. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelServer } from '../../src/testing/model-server/model-server.ts';
import type { ModelRequest, Turn } from '../../src/testing/model-server/script.ts';

export interface ModelWorld {
  readonly url: string;
  /** A file with a key. */
  readonly key: string;
  close(): Promise<void>;
}

export async function modelWorld(turnFor: (request: ModelRequest) => Turn): Promise<ModelWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-liveness-'));
  const key = join(folder, 'key');
  writeFileSync(key, 'sk-fake-0123456789', { mode: 0o600 });
  const server = await modelServer({ script: { '': turnFor } });
  return {
    ...{ url: server.url, key },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A fifth of one processor, in silence. */
const computing = 'setInterval(() => { for (const e = Date.now() + 100; Date.now() < e; ); }, 500)';

/** What the model does in this condition: hangs, trickles, or has a tool run. */
export function modelTurn({ userText }: ModelRequest): Turn {
  if (userText.includes('model-hang')) return { text: 'never', fails: { by: 'hang' } };
  if (userText.includes('tool-in-flight')) return { tool: { shell: 'sleep 300' } };
  if (userText.includes('honest-build')) return { tool: { shell: `node -e '${computing}'` } };
  const text = Array.from({ length: 400 }, (_, n) => `word ${n}`).join(' ');
  return { text, fails: { by: 'trickle', everyMs: 4_000 } };
}
