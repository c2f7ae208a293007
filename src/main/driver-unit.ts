import { join } from 'node:path';
import { findProgram } from '../host/containment/program-lookup.ts';
import { driverUnit } from '../host/driver-unit.ts';
import type { DriverUnit } from '../ports/driver-unit.ts';
import type { Surroundings } from './surroundings.ts';

/** The driver of this installation, of this home, as a service of this user. */
export function machineDriverUnit(around: Surroundings): DriverUnit {
  const path = around.env['PATH'] ?? '';
  return driverUnit({
    node: process.execPath,
    program: join(around.programs, 'driver.js'),
    home: around.home,
    path,
    platform: process.platform,
    userHome: around.userHome,
    env: around.env,
    finds: (program) => findProgram(program, '/', path) !== null,
    uid: process.getuid?.() ?? 0,
    login: around.login,
  });
}
