/**
 * Goal: a new version of an agent that breaks the contract fails here instead of at night. Method:
 * the really installed programs, through their adapters and a real lane host, against the scripted
 * model server. `npm run test:agents` installs them and says which; without it there are none.
 */
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { adapterOf } from '../../src/agents/adapters.ts';
import { type AgentProfile, type ClauseId, conformance } from '../../src/testing/index.ts';
import { agentBench } from '../support/agent-bench.ts';
import { removeRig } from '../support/lane-rig.ts';
import { leftBehind } from '../support/left-behind.ts';
import { agentClis, pinnedVersion } from './clis.ts';
import { note } from './table.ts';

const installed: Readonly<Record<string, string>> = JSON.parse(
  process.env['PAWL_TEST_AGENTS'] ?? '{}',
);
const only = (process.env['PAWL_TEST_CLAUSES'] ?? '').split(',').filter((id) => id !== '');

afterAll(removeRig);

describe.skipIf(Object.keys(installed).length === 0)('real agent programs', () => {
  test.each(Object.entries(installed))(
    '%s keeps its clauses (RR-19, RR-20)',
    async (name, folder) => {
      const cli = agentClis[name];
      expect(cli, `${name} has no adapter yet`).toBeDefined();
      if (cli === undefined) return;
      const before = leftBehind();
      const version = pinnedVersion(name, cli);
      const bin = join(folder, 'node_modules/.bin');
      const bench = await agentBench({
        adapter: adapterOf,
        role: { agent: name, model: cli.model },
        vendor: cli.vendor,
        permissions: cli.permissions,
        isProxied: cli.isProxied,
        path: [bin],
        version: [join(bin, cli.program), '--version'],
      });
      const profile: AgentProfile = { ...cli.profile, name, pinned: version };
      let left: readonly string[] = [];
      const results = await conformance(profile, bench.lanes, {
        directory: bench.directory,
        today: new Date(),
        onResult: ({ clause, outcome }) =>
          process.stderr.write(`${name} ${clause} ${JSON.stringify(outcome)}\n`),
        ...(only.length === 0 ? {} : { only: only as ClauseId[] }),
      }).finally(async () => {
        left = await bench.close();
      });
      const { outside = {} } = profile;
      note({ name, version, results, outside });
      const failed = results.filter(({ outcome }) => outcome.result === 'fail');
      expect(failed).toEqual([]);
      expect(results.map(({ clause }) => clause)).toEqual(expect.arrayContaining(only));
      expect(left).toEqual([]);
      expect(leftBehind()).toEqual(before);
    },
  );
});

test('every agent that is installed is one that the suite knows', () => {
  expect(Object.keys(installed).filter((name) => agentClis[name] === undefined)).toEqual([]);
});
