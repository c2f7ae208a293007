/** Every route of the worker plane is described, and nothing else is (XP-12). */
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { planeHeaders } from '../../contract/plane.ts';
import { planeOpenApi } from '../../contract/plane-openapi.ts';
import { planeRefusalCodes } from '../../contract/plane-refusals.ts';
import type { PlaneServerOptions } from './options.ts';
import { planeRoutes } from './routes.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}
const document = planeOpenApi('1.2.3') as unknown as Document;

/** As the server has them; HEAD comes with each GET by itself. */
async function routes(): Promise<readonly string[]> {
  const app = fastify();
  const found: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const methods = [method].flat().filter((one) => one !== 'HEAD');
    found.push(...methods.map((one) => `${one} ${url.replace(/:(\w+)/g, '{$1}')}`));
  });
  // Nothing is asked of them: only where they stand is looked at.
  const options = { engine: { artifacts: {} } } as unknown as PlaneServerOptions;
  await app.register(planeRoutes(options));
  await app.ready();
  await app.close();
  return found.sort();
}

test('every route of the plane is in its description, and the other way round', async () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.length).toBeGreaterThan(15);
  expect(await routes()).toEqual(described.sort());
});

test('it says which proof each needs, and every way to be refused', () => {
  const needs = (verb: string) => document.paths[`/plane/v1/${verb}`]?.['post'];
  expect(needs('enrol')).toMatchObject({ security: [] });
  expect(needs('claim')).toMatchObject({ security: [{ worker: [] }] });
  expect(needs('result')).toMatchObject({ security: [{ execution: [] }] });
  const text = JSON.stringify(document);
  for (const code of planeRefusalCodes) expect(text).toContain(`"${code}"`);
  for (const name of Object.values(planeHeaders)) expect(text).toContain(`"${name}"`);
});
