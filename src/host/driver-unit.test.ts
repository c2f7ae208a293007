/** Method: managers of services that are scripts of ours, which write down what they were asked. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { driverUnit } from './driver-unit.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pawl-service-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function manager(name: string, script = ''): void {
  const path = join(home, name);
  writeFileSync(path, `#!/bin/sh\necho "$@" >> ${home}/asked\n${script}\n`);
  chmodSync(path, 0o755);
}
const asked = (): readonly string[] =>
  existsSync(join(home, 'asked'))
    ? readFileSync(join(home, 'asked'), 'utf8').trim().split('\n')
    : [];
const service = (platform: NodeJS.Platform) =>
  driverUnit({
    node: '/bin/node',
    program: '/p/driver.js',
    home: '/state',
    path: '/bin',
    platform,
    userHome: home,
    env: { PATH: `${home}:${process.env['PATH']}` },
    finds: (program) => existsSync(join(home, program)),
    uid: 501,
    login: 'me',
  });

test('systemd: written, enabled, restarted, and taken away again', async () => {
  manager('systemctl');
  const systemd = service('linux');
  expect(await systemd.isInstalled()).toBe(false);
  expect(await systemd.uninstall()).toBe(false);
  expect(await systemd.install()).toEqual([
    'it ends with your last login unless:  loginctl enable-linger me',
  ]);
  expect(readFileSync(systemd.unit ?? '', 'utf8')).toContain('driver.js" --stay');
  await systemd.stop();
  await systemd.start();
  expect(await systemd.uninstall()).toBe(true);
  expect(await systemd.isInstalled()).toBe(false);
  expect(asked()).toEqual([
    '--user daemon-reload',
    '--user daemon-reload',
    '--user enable pawl.service',
    '--user restart pawl.service',
    '--user stop pawl.service',
    '--user start pawl.service',
    '--user disable --now pawl.service',
    '--user daemon-reload',
  ]);
});

test('what the manager refuses is told in its own words', async () => {
  manager('systemctl', 'echo "Failed to connect to bus: No medium found" >&2; exit 1');
  const systemd = service('linux');
  await expect(systemd.install()).rejects.toMatchObject({
    code: 'service_failed',
    details: { found: 'Failed to connect to bus: No medium found' },
  });
  expect(await systemd.isInstalled()).toBe(false);
});

test('launchd: an agent that is there is loaded anew', async () => {
  manager('launchctl');
  const launchd = service('darwin');
  await launchd.install();
  await launchd.install();
  expect(await launchd.uninstall()).toBe(true);
  const plist = join(home, 'Library/LaunchAgents/dev.pawl.driver.plist');
  expect(asked()).toEqual([
    `bootstrap gui/501 ${plist}`,
    'bootout gui/501/dev.pawl.driver',
    `bootstrap gui/501 ${plist}`,
    'bootout gui/501/dev.pawl.driver',
  ]);
});

test('elsewhere the line to give to another manager is printed', async () => {
  const nobody = service('freebsd');
  expect(nobody.manager).toBe('none');
  await expect(nobody.install()).rejects.toMatchObject({
    code: 'service_failed',
    details: { next: expect.stringContaining('PAWL_HOME=/state /bin/node /p/driver.js --stay') },
  });
});
