/** `pawl service`: the driver at login and after a reboot; elsewhere, what to do by hand. */

import { isDriverSeat } from '../kernel/driver-seats.ts';
import type { DriverUnit } from '../ports/driver-unit.ts';
import type { SeatRow } from '../ports/store.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { iso } from './format.ts';
import { usage } from './parse.ts';
import { isService } from './seats.ts';

const verbs = ['install', 'uninstall', 'start', 'stop', 'status'] as const;
type Verb = (typeof verbs)[number];

export const command: Command = {
  name: 'service',
  summary: 'The background driver: at login, and across reboots.',
  arguments: { usage: 'install|uninstall|start|stop|status', min: 1, max: 1 },
  flags: [],
  examples: ['pawl service install', 'pawl service status'],
  run,
};

async function run(context: Context): Promise<number> {
  const verb = verbs.find((known) => known === context.given.words[0]);
  if (verb === undefined) throw usage('service', `usage: pawl service ${command.arguments.usage}`);
  const service = await context.options.service();
  const lines = await act(context, service, verb);
  const driver = await livingDriver(context);
  const said = verb === 'status' ? await statusOf(service, driver) : lines;
  answer(context, said, {
    schema: 'pawl.service/1',
    manager: service.manager,
    unit: service.unit,
    installed: await service.isInstalled(),
    driver:
      driver === null
        ? null
        : { pid: driver.holder.pid, since: iso(driver.since), service: isService(driver.version) },
    byHand: service.byHand,
  });
  return exits.done;
}

async function act(context: Context, service: DriverUnit, verb: Verb): Promise<string[]> {
  const { called } = context;
  switch (verb) {
    case 'install': {
      const notes = await service.install();
      const driver = await seatedDriver(context);
      return [
        `✓ installed${driver === null ? '' : ' and started'}: ${service.unit}`,
        ...(driver === null ? [`  note       ${starting}`] : []),
        ...notes.map((note) => `  note       ${note}`),
        `  next       ${called} service status`,
      ];
    }
    case 'uninstall':
      return (await service.uninstall())
        ? ['✓ stopped and removed; runs wait until a driver is started']
        : ['there was no service to remove.'];
    case 'start':
      return start(context, service);
    case 'stop':
      return stop(context, service);
    case 'status':
      return [];
  }
}

/** Without a unit there is still a driver to be had: one that leaves when nothing is to be done. */
async function start(context: Context, service: DriverUnit): Promise<string[]> {
  if (await service.isInstalled()) {
    await service.start();
    const driver = await seatedDriver(context);
    return [driver === null ? starting : `✓ started, pid ${driver.holder.pid}`];
  }
  const before = await livingDriver(context);
  await (await context.client()).ensureDriver();
  const driver = before ?? (await seatedDriver(context));
  const how = before === null ? '✓ a driver was started' : 'a driver lives already';
  return [
    driver === null ? starting : `${how}, pid ${driver.holder.pid}; it leaves when no run has work`,
    service.manager === 'none'
      ? `  next       to keep one, give this to your manager of services:  ${service.byHand}`
      : `  next       ${context.called} service install keeps one`,
  ];
}

/** The manager is asked only for what it was given: elsewhere its own error tells nothing. */
async function stop(context: Context, service: DriverUnit): Promise<string[]> {
  if (await service.isInstalled()) {
    await service.stop();
    return ['✓ stopped; lanes that run go on, and the next driver adopts them'];
  }
  const driver = await livingDriver(context);
  return [
    driver === null
      ? 'no service is installed, and no driver lives: nothing was stopped.'
      : `no service is installed: nothing was stopped; driver pid ${driver.holder.pid} leaves when no run has work.`,
    `  next       ${context.called} status`,
  ];
}

const seatWaitMs = 10_000;
const pollMs = 200;
const starting = 'a driver is starting; pawl service status tells when it lives';

/** The driver that holds its seat, as `status` tells it; null: none has taken one in that time. */
async function seatedDriver(context: Context): Promise<SeatRow | null> {
  const { io } = context;
  const until = io.monotonicMs() + seatWaitMs;
  for (;;) {
    const driver = await livingDriver(context);
    if (driver !== null || io.monotonicMs() >= until) return driver;
    await io.sleep(pollMs);
  }
}

async function livingDriver(context: Context): Promise<SeatRow | null> {
  const seats = await (await context.client()).drivers();
  return seats.find(isDriverSeat) ?? null;
}

async function statusOf(service: DriverUnit, driver: SeatRow | null): Promise<string[]> {
  const installed = await service.isInstalled();
  const unit = installed ? `installed: ${service.unit}` : 'not installed';
  const how = driver !== null && isService(driver.version) ? 'service, ' : '';
  return [
    `driver     ${driver === null ? 'none lives' : `${how}pid ${driver.holder.pid}`}`,
    `service    ${service.manager === 'none' ? 'no manager that pawl knows' : unit}`,
    ...(installed ? [] : [`by hand    ${service.byHand}`]),
  ];
}
