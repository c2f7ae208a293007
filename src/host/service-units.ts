/**
 * The units of the driver as a service. Pure texts.
 *
 * What they have in common: the driver alone is ended with them, since the hosts of lanes outlive
 * it and are adopted by the next one; a crash starts it again, an end that was asked for does not;
 * PATH is that of who installed it, so that the agents which he has are found.
 */
import { quotedWord } from '../kernel/argv.ts';

export interface UnitFacts {
  /** Absolute path of node. */
  readonly node: string;
  /** Absolute path of the driver's program. */
  readonly program: string;
  /** `$PAWL_HOME`. */
  readonly home: string;
  readonly path: string;
}

export const unitName = 'pawl.service';
export const agentLabel = 'dev.pawl.driver';

/** A systemd user unit. A lane that runs out of memory must not take the driver with it. */
export function systemdUnit({ node, program, home, path }: UnitFacts): string {
  return `[Unit]
Description=pawl driver: runs agent loops until a check passes

[Service]
Type=exec
ExecStart=${command(node)} ${command(program)} --stay
Environment=${quoted(`PAWL_HOME=${home}`)}
Environment=${quoted(`PATH=${path}`)}
Restart=on-failure
RestartSec=5
KillMode=process
OOMPolicy=continue

[Install]
WantedBy=default.target
`;
}

/** A launchd agent. */
export function launchdPlist({ node, program, home, path }: UnitFacts): string {
  const log = `${home}/log/driver.log`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${agentLabel}</string>
  <key>ProgramArguments</key>
  <array>
    <string>${xml(node)}</string>
    <string>${xml(program)}</string>
    <string>--stay</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PAWL_HOME</key>
    <string>${xml(home)}</string>
    <key>PATH</key>
    <string>${xml(path)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>StandardOutPath</key>
  <string>${xml(log)}</string>
  <key>StandardErrorPath</key>
  <string>${xml(log)}</string>
</dict>
</plist>
`;
}

/** As a line of a shell, for every other manager of services. */
export function serviceCommand({ node, program, home }: UnitFacts): string {
  return `PAWL_HOME=${quotedWord(home)} ${quotedWord(node)} ${quotedWord(program)} --stay`;
}

/** systemd expands `%` everywhere; quotes and backslashes are read within quotes. */
function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
  return `"${escaped}"`;
}

/** And variables in a command. */
const command = (text: string): string => quoted(text).replaceAll('$', '$$$$');

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
