import { expect, test } from 'vitest';
import { typed } from '../../test/support/scripted-cli.ts';
import { type ScriptedClient, scriptedClient } from '../../test/support/scripted-client.ts';
import type { DriverUnit } from '../ports/driver-unit.ts';
import type { SeatRow } from '../ports/store.ts';
import type { Instant } from '../ports/words.ts';

function memory(installed = false) {
  const asked: string[] = [];
  let isThere = installed;
  const service: DriverUnit = {
    manager: 'systemd',
    unit: '/u/pawl.service',
    byHand: 'node driver.js --stay',
    install: async () => {
      isThere = true;
      asked.push('install');
      return ['a note'];
    },
    uninstall: async () => {
      const was = isThere;
      isThere = false;
      return was;
    },
    start: async () => void asked.push('start'),
    stop: async () => void asked.push('stop'),
    isInstalled: async () => isThere,
  };
  return { service, asked };
}

const withDriver = (): ScriptedClient => ({
  ...scriptedClient([]),
  drivers: async () => [
    {
      seat: 'driver',
      holder: { pid: 4122 } as SeatRow['holder'],
      version: '0.1.0',
      since: 0 as Instant,
      beat: 0 as Instant,
    },
  ],
});

/** One that takes its seat after so many looks. */
function seatedAfter(looks: number): ScriptedClient {
  const { drivers, ...client } = withDriver();
  let looked = 0;
  return {
    ...client,
    drivers: () => {
      looked += 1;
      return looked > looks ? drivers() : Promise.resolve([]);
    },
  };
}

test('install says where and what else must be known', async () => {
  const { out } = await typed(['service', 'install'], { client: seatedAfter(2), ...memory() });
  expect(out).toBe(
    '✓ installed and started: /u/pawl.service\n  note       a note\n  next       pawl service status\n',
  );
});

test('what is started holds its seat when start returns, or is told as starting', async () => {
  for (const [installed, line] of [
    [false, '✓ a driver was started, pid 4122; it leaves when no run has work\n'],
    [true, '✓ started, pid 4122\n'],
  ] as const) {
    const here = { client: seatedAfter(3), ...memory(installed) };
    expect((await typed(['service', 'start'], here)).out).toContain(line);
    expect((await typed(['service', 'status'], here)).out).toContain('driver     pid 4122');
    const never = { client: scriptedClient(), ...memory(installed) };
    expect((await typed(['service', 'start'], never)).out).toContain(
      'a driver is starting; pawl service status tells when it lives\n',
    );
  }
  const never = { client: scriptedClient(), ...memory() };
  expect((await typed(['service', 'install'], never)).out).toMatch(
    /^✓ installed: \/u\/pawl\.service\n {2}note {7}a driver is starting; /,
  );
});

test('start gives a driver also where nothing is installed (UX 2.2)', async () => {
  const client = scriptedClient();
  const { service, asked } = memory();
  const { out } = await typed(['service', 'start'], { client, service });
  expect(out).toContain('pawl service install keeps one');
  expect(client.calls.map(({ verb }) => verb)).toContain('ensureDriver');
  expect(asked).toEqual([]);
  const { service: known, asked: told } = memory(true);
  await typed(['service', 'start'], { service: known });
  expect(told).toEqual(['start']);
});

test('status tells the driver and the unit, also to programs', async () => {
  const { out } = await typed(['service', 'status'], memory(true));
  expect(out).toContain('service    installed: /u/pawl.service');
  const json = await typed(['service', 'status', '--json'], memory());
  expect(JSON.parse(json.out)).toMatchObject({
    schema: 'pawl.service/1',
    manager: 'systemd',
    installed: false,
  });
});

test('where no manager is known, the line is printed', async () => {
  expect((await typed(['service', 'status'])).out).toContain(
    'by hand    PAWL_HOME=/state node driver.js --stay',
  );
  expect((await typed(['service', 'fly'])).exit).toBe(2);
});

test('uninstall and stop say what goes on', async () => {
  const { service, asked } = memory(true);
  expect((await typed(['service', 'stop'], { service })).out).toContain('lanes that run go on');
  expect((await typed(['service', 'uninstall'], { service })).out).toContain('stopped and removed');
  expect((await typed(['service', 'uninstall'], { service })).out).toContain(
    'no service to remove',
  );
  expect(asked).toEqual(['stop']);
});

test('start tells a driver that lives from one that was started', async () => {
  const client = withDriver();
  const { out } = await typed(['service', 'start'], { client, ...memory() });
  expect(out).toContain('a driver lives already, pid 4122');
  expect(out).not.toContain('was started');
});

test('stop without a service says so, and leaves the manager of services alone', async () => {
  const { service, asked } = memory();
  const { out, exit } = await typed(['service', 'stop'], { service });
  expect(exit).toBe(0);
  expect(out).toBe(
    'no service is installed, and no driver lives: nothing was stopped.\n  next       pawl status\n',
  );
  const client = withDriver();
  const { out: told } = await typed(['service', 'stop'], { service, client });
  expect(told).toContain('driver pid 4122 leaves when no run has work');
  expect(asked).toEqual([]);
});
