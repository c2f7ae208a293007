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
      return [
        `✓ installed and started: ${service.unit}`,
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
    return ['✓ started'];
  }
  const before = await livingDriver(context);
  await (await context.client()).ensureDriver();
  return [
    before === null
      ? '✓ a driver is starting, which takes a few seconds; it leaves when no run has work'
      : `a driver lives already, pid ${before.holder.pid}; it leaves when no run has work`,
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
