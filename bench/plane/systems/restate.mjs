/**
 * Restate as its package is used: a service whose handler does steps with `ctx.run`, in a process
 * of its own that the server calls. Each process has a service of its own, so that the bench says
 * how many work.
 */
import { createServer } from 'node:http2';
import { clockMs } from '../clock.mjs';
import { walksById } from './walk.mjs';

// The SDK needs it and Node 20 does not have it.
Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};
const restate = await import('@restatedev/restate-sdk');

export async function open(options, tell) {
  const walks = walksById(String, (id) => call('steps', id));
  const name = options.service;
  const service = restate.service({
    name,
    handlers: {
      steps: async (ctx, id) => {
        const { text, goesOn, stepped } = walks.of(id);
        while (goesOn()) {
          await ctx.run('step', () => text());
          stepped();
        }
      },
      note: async (_, n) => {
        tell({ entered: n, at: clockMs() });
      },
      effect: (ctx, key) =>
        ctx.run('effect', async () => {
          await fetch(options.witness, { method: 'POST', body: key });
          tell({ entered: key, at: clockMs() });
          if (options.stays) await new Promise(() => {});
        }),
    },
  });
  const quiet = { logger: () => {} };
  const server = createServer(restate.createEndpointHandler({ services: [service], ...quiet }));
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address();
  if (options.registers) await register(options.admin, port);
  const call = async (handler, body, how = '') => {
    const response = await fetch(`${options.ingress}/${name}/${handler}${how}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${handler}: ${response.status} ${await response.text()}`);
    await response.text();
  };
  return {
    facts: { port },
    verbs: {
      ...walks.verbs,
      send: async ({ n }) => {
        const from = clockMs();
        await call('note', n, '/send');
        return { from, committed: clockMs() };
      },
      hold: async ({ keys }) => {
        for (const key of keys) await call('effect', key, '/send');
      },
    },
  };
}

async function register(admin, port) {
  const response = await fetch(`${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true }),
  });
  if (!response.ok) throw new Error(`register: ${response.status} ${await response.text()}`);
}
