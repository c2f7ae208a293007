/** The worker plane of a server, over its engine; see {@link planeRoutes}. */
import { hostname } from 'node:os';
import type { Engine } from '../engine/engine.ts';
import { localPlane } from '../engine/local-plane.ts';
import { planeWorkers } from '../engine/plane-workers.ts';
import { resolveCredentials } from '../host/credentials.ts';
import { eventTail } from '../http/plane/event-tail.ts';
import { refusalLog } from '../http/plane/evidence.ts';
import { planeRoutes } from '../http/plane/routes.ts';
import { sourceHandlers } from '../http/plane/source-handlers.ts';
import { planeTokens } from '../http/plane/tokens.ts';
import type { Routes } from '../http/server.ts';
import { sealJudge } from '../verify/seal-statement.ts';
import { fileBudgets } from './budgets.ts';
import { once } from './once.ts';
import type { Runtime } from './runtime.ts';

const ttlMs = 30_000;

export function serverPlane(
  { around }: Pick<Runtime, 'around'>,
  engine: Engine,
  log: (line: string) => void,
): Routes {
  const workers = planeWorkers(engine);
  const exchange = once(async () => {
    const { gitExchange } = await import('../git/exchange.ts');
    return gitExchange({ home: around.home, env: around.env });
  });
  const here = { machine: hostname(), isServer: true };
  return planeRoutes({
    engine,
    plane: localPlane(engine, { ttlMs, version: around.version }),
    workers,
    tokens: planeTokens({ clock: engine.clock, keys: workers, nonce: engine.ids.nonce }),
    refusals: refusalLog(engine),
    seals: sealJudge,
    tail: eventTail(),
    ...{ ttlMs, log },
    budgets: fileBudgets(around),
    credentials: (references) => resolveCredentials(references, around.env, here),
    more: sourceHandlers({ engine, exchange }),
  });
}
