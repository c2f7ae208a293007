/** The texts of `pawl help <topic>`. */
import { environmentNames } from './environment-names.ts';

export const topics: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'exit-codes',
    [
      '0     done as asked; for run, watch, wait: complete with a verified pass',
      '1     could not be done (store, git, internal), or the run was cancelled',
      '2     usage, configuration, a verb that this state or this principal does not allow,',
      '      or refused before anything was spent',
      '3     needs operator',
      '4     waiting for a human: approval, manual criterion, paused',
      '5     complete by accept: overridden, not verified',
      '70    a bug of ours; a report file is named',
      '75    left waiting for a limit (only with --on-limit stop); resumesAt is set',
      '124   --timeout of this command passed; the run goes on',
      '130   interrupted by Ctrl-C: paused          143   by SIGTERM: paused',
      '',
      'Reading commands exit 0 whatever they show; pawl status --exit-code gives 3, 4 or 0.',
    ],
  ],
  [
    'states',
    [
      'the run is                  to go on                                   to end it',
      'active                      pawl watch, pawl hint, pawl pause          pawl cancel',
      'active, waiting             nothing; pawl resume <run> --now skips it  pawl cancel',
      'waiting human               pawl approve, or pawl reject --note "…"    pawl cancel',
      'needs operator: a question  pawl answer <run> "…"                      pawl cancel',
      'needs operator: others      pawl resume with a grant, pawl retry       pawl accept, pawl cancel',
      'paused                      pawl resume                                pawl cancel',
      'complete                    pawl land, pawl retry                      –',
    ],
  ],
  [
    'config',
    [
      'pawl.yaml      in the project, committed:',
      '',
      '  version: 1',
      '  agents: { mine: { command: [my-agent, "{prompt}"] } }',
      '  agent: mine            # short for roles.execute.agent',
      '  setup: npm ci          # short for workspace.setup.run',
      '  check: npm test        # short for criteria: [{ test: npm test }]',
      '',
      'Flags > environment > pawl.yaml > your config.yaml > defaults. Maps merge by key, lists replace.',
      'Towards safety: protected and env.allow of your config.yaml are added to those of the project,',
      'and a brake under ceilings: there caps every other level.',
      'pawl config show --origin   ·   pawl config check   ·   pawl config schema   ·   pawl config path',
    ],
  ],
  [
    'environment',
    [
      'PAWL_HOME        state of all projects: store, artifacts, keys, worktrees',
      'PAWL_SERVER      the server that commands ask, as --server does',
      'PAWL_SERVER_INSECURE   1: a server beyond this machine may be asked by http://, unencrypted',
      'PAWL_DATABASE    postgres://…: PostgreSQL in place of the file of the store',
      'PAWL_OPERATOR_TOKEN   passes the gates that pawl operator made it for; never for an agent',
      'NO_COLOR, TERM=dumb, CI, LANG are honoured',
      `settings         ${environmentNames.join(', ')}`,
      '',
      'In a lane: PAWL_EXECUTION, PAWL_PROMPT_FILE, PAWL_HISTORY_FILE, PAWL_RESULT_FILE',
    ],
  ],
]);
