/** One server for all files of the lane; started before them, ended after them. */
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../support/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgres: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide('postgres', server.url);
  return () => server.stop();
}
