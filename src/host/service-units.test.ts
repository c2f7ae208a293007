/** Goal: the units are those texts, and systemd itself finds nothing wrong with its own. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { launchdPlist, serviceCommand, systemdUnit } from './service-units.ts';

const facts = {
  node: '/usr/bin/node',
  program: '/opt/p awl/dist/driver.js',
  home: '/home/me/100%/$x',
  path: '/home/me/bin:/usr/bin',
};

test('the unit of systemd, with what it would expand kept as it is', () => {
  expect(systemdUnit(facts)).toBe(`[Unit]
Description=pawl driver: runs agent loops until a check passes

[Service]
Type=exec
ExecStart="/usr/bin/node" "/opt/p awl/dist/driver.js" --stay
Environment="PAWL_HOME=/home/me/100%%/$x"
Environment="PATH=/home/me/bin:/usr/bin"
Restart=on-failure
RestartSec=5
KillMode=process
OOMPolicy=continue

[Install]
WantedBy=default.target
`);
  expect(systemdUnit({ ...facts, program: '/a$b"c\\d' })).toContain(
    'ExecStart="/usr/bin/node" "/a$$b\\"c\\\\d" --stay',
  );
});

test('the agent of launchd', () => {
  const plist = launchdPlist({ ...facts, program: '/a&b/<driver>.js' });
  expect(plist).toContain(`  <key>ProgramArguments</key>
  <array>
    <string>/usr/bin/node</string>
    <string>/a&amp;b/&lt;driver&gt;.js</string>
    <string>--stay</string>
  </array>`);
  expect(plist).toContain('  <key>AbandonProcessGroup</key>\n  <true/>');
  expect(plist).toContain('<key>SuccessfulExit</key>\n    <false/>');
});

test('by hand it is one line that a shell reads', () => {
  expect(serviceCommand(facts)).toBe(
    "PAWL_HOME='/home/me/100%/$x' /usr/bin/node '/opt/p awl/dist/driver.js' --stay",
  );
});

const analyze = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });

test.skipIf(analyze.status !== 0)('systemd-analyze verify finds nothing', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-unit-'));
  try {
    const unit = join(directory, 'pawl.service');
    writeFileSync(
      unit,
      systemdUnit({ ...facts, node: process.execPath, program: fileURLToPath(import.meta.url) }),
    );
    const options = {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: directory },
    } as const;
    const { stderr, status } = spawnSync('systemd-analyze', ['--user', 'verify', unit], options);
    expect(stderr.split('\n').filter((line) => line.includes('pawl.service'))).toEqual([]);
    expect(status).toBe(0);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
