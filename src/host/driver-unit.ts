/** The {@link DriverUnit} of this machine: systemd's user manager, launchd, or nothing. */
import { execFile } from 'node:child_process';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { DriverUnit } from '../ports/driver-unit.ts';
import {
  agentLabel,
  launchdPlist,
  serviceCommand,
  systemdUnit,
  type UnitFacts,
  unitName,
} from './service-units.ts';

export interface UserServiceOptions extends UnitFacts {
  readonly platform: NodeJS.Platform;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a program of that name would be found. */
  readonly finds: (program: string) => boolean;
  /** Numeric id of the user, for launchd. */
  readonly uid: number;
  /** Login name, for the advice on lingering. */
  readonly login: string;
}

const managerMs = 30_000;

export function driverUnit(options: UserServiceOptions): DriverUnit {
  const { platform, finds } = options;
  if (platform === 'linux' && finds('systemctl')) return bySystemd(options);
  if (platform === 'darwin' && finds('launchctl')) return byLaunchd(options);
  return byNobody(options);
}

function bySystemd(options: UserServiceOptions): DriverUnit {
  const { env, userHome } = options;
  const config = env['XDG_CONFIG_HOME'] ?? join(userHome, '.config');
  const unit = join(config, 'systemd', 'user', unitName);
  const systemctl = (...args: readonly string[]) => told('systemctl', ['--user', ...args], env);
  return {
    manager: 'systemd',
    unit,
    byHand: serviceCommand(options),
    install: async () => {
      // Asked before anything is written: a manager that cannot be reached leaves nothing behind.
      await systemctl('daemon-reload');
      await write(unit, systemdUnit(options));
      await systemctl('daemon-reload');
      await systemctl('enable', unitName);
      // One that runs already goes on with what was written now.
      await systemctl('restart', unitName);
      return [`it ends with your last login unless:  loginctl enable-linger ${options.login}`];
    },
    uninstall: async () => {
      if (!(await exists(unit))) return false;
      await systemctl('disable', '--now', unitName);
      await rm(unit, { force: true });
      await systemctl('daemon-reload');
      return true;
    },
    start: () => systemctl('start', unitName),
    stop: () => systemctl('stop', unitName),
    isInstalled: () => exists(unit),
  };
}

function byLaunchd(options: UserServiceOptions): DriverUnit {
  const unit = join(options.userHome, 'Library', 'LaunchAgents', `${agentLabel}.plist`);
  const domain = `gui/${options.uid}`;
  const launchctl = (...args: readonly string[]) => told('launchctl', args, options.env);
  const bootout = () => launchctl('bootout', `${domain}/${agentLabel}`);
  return {
    manager: 'launchd',
    unit,
    byHand: serviceCommand(options),
    install: async () => {
      const isThere = await exists(unit);
      await write(unit, launchdPlist(options));
      if (isThere) await orAbsent(bootout());
      await launchctl('bootstrap', domain, unit);
      return [];
    },
    uninstall: async () => {
      if (!(await exists(unit))) return false;
      await orAbsent(bootout());
      await rm(unit, { force: true });
      return true;
    },
    start: () => launchctl('bootstrap', domain, unit),
    stop: () => bootout(),
    isInstalled: () => exists(unit),
  };
}

function byNobody(options: UserServiceOptions): DriverUnit {
  const none = () =>
    Promise.reject(
      new WorldError('service_failed', `pawl knows no manager of services on ${options.platform}`, {
        next: `give this line to the one that you have:  ${serviceCommand(options)}`,
      }),
    );
  return {
    manager: 'none',
    unit: null,
    byHand: serviceCommand(options),
    install: none,
    uninstall: none,
    start: none,
    stop: none,
    isInstalled: async () => false,
  };
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** An agent that is not loaded cannot be unloaded: what was wanted. */
async function orAbsent(asked: Promise<void>): Promise<void> {
  try {
    await asked;
  } catch (error: unknown) {
    if (!(error instanceof WorldError)) throw error;
  }
}

/** @throws WorldError `service_failed` with what the manager said. */
function told(
  program: string,
  args: readonly string[],
  env: UserServiceOptions['env'],
): Promise<void> {
  const options = { env: { ...env }, timeout: managerMs, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve, reject) => {
    execFile(program, [...args], options, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else reject(refused(`${program} ${args.join(' ')}`, stderr.trim() || error.message));
    });
  });
}

const refused = (line: string, found: string): WorldError =>
  new WorldError('service_failed', `the manager of services refused: ${line}`, {
    found: found.split('\n').slice(0, 3).join(' · ').slice(0, 300),
  });
