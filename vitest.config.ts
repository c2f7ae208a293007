import { defineConfig } from 'vitest/config';

/** Projects are the lanes of STYLE §5; each names what it may touch by where it lies. */
const lane = (name: string, include: string, more: Record<string, unknown> = {}) => ({
  test: { name, include: [include], ...more },
});

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts'],
          exclude: ['**/*.property.test.ts'],
        },
      },
      lane('property', 'src/**/*.property.test.ts', { testTimeout: 120_000 }),
      lane('conformance', 'test/conformance/**/*.test.ts', { testTimeout: 60_000 }),
      lane('sim', 'test/sim/**/*.sim.test.ts', { testTimeout: 600_000 }),
      lane('e2e', 'test/e2e/**/*.test.ts', { testTimeout: 180_000, hookTimeout: 60_000 }),
      lane('tidy', 'test/tidy/**/*.test.ts', { testTimeout: 60_000 }),
    ],
  },
});
