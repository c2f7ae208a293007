/** What a supervisor of services asks without a token: nothing here names a run or a project. */
import { openApiDocument } from '../contract/operator/openapi.ts';
import { planeOpenApi } from '../contract/plane-openapi.ts';
import type { Routes } from './server.ts';

export interface Readiness {
  readonly ready: boolean;
  /** Each with whether it is good, and why not. */
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly detail?: string }>>;
}

export interface HealthOptions {
  readonly version: string;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: () => Promise<string>;
}

export function healthRoutes({ version, readiness, metrics }: HealthOptions): Routes {
  const document = openApiDocument(version);
  const plane = planeOpenApi(version);
  return (app) => {
    app.get('/healthz', async () => ({ alive: true, version }));
    app.get('/readyz', async (_request, reply) => {
      const told = await readiness();
      return reply.code(told.ready ? 200 : 503).send(told);
    });
    app.get('/metrics', async (_request, reply) =>
      reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics()),
    );
    app.get('/openapi.json', async () => document);
    app.get('/openapi-plane.json', async () => plane);
  };
}
