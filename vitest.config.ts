import { defineConfig } from 'vitest/config';

/**
 * Projects are the lanes of docs/testing.md; each names what it may touch by where it lies.
 * Lanes that start real processes come after the others, and one file at a time where machine-wide
 * things are counted: a test that waits for a process must not wait for the rest of the suite too.
 */
const lane = (
  name: string,
  include: string | readonly string[],
  more: Record<string, unknown> = {},
) => ({
  test: { name, include: [include].flat(), sequence: { groupOrder: 0 }, maxWorkers: 2, ...more },
});
/** Whole in minutes, and no part of `npm test`. */
const long = ['limits', 'many-runs', 'canary', 'asks-leave', 'database'].map(
  (name) => `test/e2e/${name}.test.ts`,
);
/** Processes, ports and folders are counted before and after each test. */
const nothingLeft = 'test/support/nothing-left.ts';
const processes = { maxWorkers: 1, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    projects: [
      lane('unit', 'src/**/*.test.ts', {
        exclude: ['**/*.property.test.ts'],
        testTimeout: 30_000,
      }),
      lane('property', 'src/**/*.property.test.ts', { testTimeout: 120_000 }),
      lane('conformance', 'test/conformance/**/*.test.ts', {
        globalSetup: 'test/conformance/postgres-server.ts',
        testTimeout: 60_000,
        // One server for all: an open transaction of one file keeps what another one committed
        // from being read, since what may still be overtaken is not shown.
        maxWorkers: 1,
        sequence: { groupOrder: 1 },
      }),
      lane('sim', 'test/sim/**/*.sim.test.ts', { testTimeout: 600_000 }),
      lane('tidy', 'test/tidy/**/*.test.ts', { testTimeout: 60_000 }),
      lane('words', 'test/words/**/*.test.ts', { testTimeout: 60_000 }),
      lane('e2e', 'test/e2e/**/*.test.ts', {
        ...processes,
        // They wait more than they work, and each has a store of its own.
        maxWorkers: 2,
        exclude: long,
        testTimeout: 180_000,
        sequence: { groupOrder: 2 },
      }),
      lane('long', long, {
        ...processes,
        testTimeout: 180_000,
        sequence: { groupOrder: 3 },
      }),
      lane('agents', 'test/agents/**/*.test.ts', {
        globalSetup: 'test/agents/table.ts',
        setupFiles: nothingLeft,
        ...processes,
        testTimeout: 1_800_000,
        sequence: { groupOrder: 3 },
      }),
      lane('liveness', 'test/liveness/**/*.test.ts', {
        globalSetup: 'test/liveness/table.ts',
        setupFiles: nothingLeft,
        ...processes,
        testTimeout: 600_000,
        sequence: { groupOrder: 4 },
      }),
      lane('screens', 'test/screens/**/*.test.ts', {
        ...processes,
        testTimeout: 180_000,
        sequence: { groupOrder: 3 },
      }),
      lane('cheats', 'test/cheats/**/*.test.ts', {
        globalSetup: 'test/cheats/table.ts',
        ...processes,
        testTimeout: 180_000,
        sequence: { groupOrder: 3 },
      }),
      lane('newcomer', 'test/newcomer/**/*.test.ts', {
        globalSetup: 'test/newcomer/table.ts',
        ...processes,
        testTimeout: 300_000,
        sequence: { groupOrder: 3 },
      }),
      lane('partition', 'test/partition/**/*.test.ts', {
        globalSetup: 'test/partition/table.ts',
        ...processes,
        testTimeout: 600_000,
        hookTimeout: 120_000,
        sequence: { groupOrder: 4 },
      }),
      lane('chaos-quick', 'test/chaos/quick.test.ts', {
        globalSetup: 'test/chaos/table.ts',
        ...processes,
        testTimeout: 180_000,
        sequence: { groupOrder: 3 },
      }),
      lane('chaos', 'test/chaos/**/*.test.ts', {
        exclude: ['test/chaos/quick.test.ts'],
        globalSetup: 'test/chaos/table.ts',
        ...processes,
        testTimeout: 900_000,
        sequence: { groupOrder: 4 },
      }),
      lane('crash', 'test/crash/**/*.test.ts', {
        ...processes,
        testTimeout: 600_000,
        sequence: { groupOrder: 4 },
      }),
    ],
    coverage: {
      provider: 'v8',
      include: ['src/kernel/**/*.ts', 'src/domain/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text', 'json-summary'],
      thresholds: { branches: 100 },
    },
  },
});
