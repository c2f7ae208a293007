/**
 * Goal: a command that waits outlives a server that is replaced; the run goes on meanwhile.
 * Method: a scripted client whose server is away for some time of the scripted clock.
 */
import { expect, test } from 'vitest';
import { typed } from '../../test/support/scripted-cli.ts';
import { type ScriptedClient, scriptedClient } from '../../test/support/scripted-client.ts';
import { RequestError, TransientError } from '../kernel/errors.ts';

const unreachable = () => new TransientError('server_unreachable', 'no server answers');
const brokenOff = () => new RequestError('outcome_unknown', 'the connection broke');

/** Away at so many calls after the first ones; then what it waited for has happened. */
function awayFor(calls: number): ScriptedClient {
  const client = scriptedClient();
  let asked = 0;
  const isAway = (): boolean => {
    asked += 1;
    return asked > 3 && asked <= 3 + calls;
  };
  return {
    ...client,
    find: async (request) => {
      if (isAway()) throw unreachable();
      if (asked > 3) client.change({ status: 'complete', verification: 'passed', phase: null });
      return client.find(request);
    },
    ensureDriver: async () => {
      if (isAway()) throw brokenOff();
    },
  };
}

test.each([['wait'], ['watch']])(
  '%s goes on when the server is back, and says it once',
  async (verb) => {
    const { exit, err } = await typed([verb, '7k2m'], { client: awayFor(40) });
    expect(exit).toBe(0);
    expect(err.match(/asked again, for 10m at most/g)).toHaveLength(1);
  },
);

test.each([['wait'], ['watch']])(
  '%s gives up after a bounded time, and says how to wait again',
  async (verb) => {
    const { exit, err } = await typed([verb, '7k2m'], { client: awayFor(100_000) });
    expect(exit).toBe(1);
    expect(err).toContain('error[server_unreachable]');
    expect(err).toContain(`next         pawl ${verb} 7k2m`);
  },
);
