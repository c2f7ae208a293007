/**
 * Every code this product can show, with what the reader should do next. Source of docs/errors.md.
 * Codes that a user sees are snake_case; dotted ones stay inside. Never reused, never renamed.
 * Kept in alphabetical order.
 */
export const errorCodes = {
  agent_login: {
    http: 400,
    exit: 2,
    next: 'Log in with the command that the agent has for it, or give it a key; then: pawl doctor',
  },
  agent_missing: {
    http: 400,
    exit: 2,
    next: 'Install the agent, or name another: pawl run … --agent <name>',
  },
  already_resolved: { http: 409, exit: 2, next: 'See how it was resolved: pawl show <run>' },
  ambiguous_run: {
    http: 400,
    exit: 2,
    next: 'Name the run by more characters of its id: pawl list',
  },
  argument_too_long: {
    http: 400,
    exit: 2,
    next: 'Give it the path of a file, or nothing, so that it reads stdin: --agent-cmd "<agent> {prompt}"',
  },
  artifact_damaged: {
    http: 500,
    exit: 1,
    next: 'Bring it back from a backup; everything else is still readable: pawl audit verify',
  },
  artifact_missing: {
    http: 404,
    exit: 1,
    next: 'It was pruned, or never made; its digest stays in the events: pawl show <run> --events',
  },
  artifact_too_large: {
    http: 413,
    exit: 1,
    next: 'Have less printed, or write it to a file of its own; what was said: pawl logs <run>',
  },
  bad_value: {
    http: 400,
    exit: 2,
    next: 'See what is allowed: pawl <command> --help',
  },
  body_too_large: {
    http: 413,
    exit: 2,
    next: 'Send less; GET /openapi.json tells what each request is.',
  },
  body_type: {
    http: 415,
    exit: 2,
    next: 'Send JSON (content-type: application/json); GET /openapi.json tells what each request is.',
  },
  check_green: {
    http: 200,
    exit: 0,
    next: 'Add a check that fails now, or say --baseline green-ok.',
  },
  check_unrunnable: {
    http: 400,
    exit: 2,
    next: 'Give the setup command that the check needs: --setup "…"',
  },
  containment_failed: {
    http: 503,
    exit: 1,
    next: 'Run the command again; what this machine offers: pawl doctor',
  },
  copy_refused: {
    http: 409,
    exit: 1,
    next: 'Nothing was copied; deal with what is named and copy again: pawl db copy',
  },
  council_in_run: {
    http: 400,
    exit: 2,
    next: 'Name a profile that can take part: roles.verify: { profile: oracle }',
  },
  credential_missing: {
    http: 400,
    exit: 2,
    next: 'Set what the reference names, or change it where it stands: pawl config show --origin',
  },
  database_unreachable: {
    http: 503,
    exit: 1,
    next: 'See that the database runs where PAWL_DATABASE (or --database) says; then: pawl doctor',
  },
  database_unusable: {
    http: 503,
    exit: 1,
    next: 'See PAWL_DATABASE (or --database): user, password, name, rights; then: pawl doctor',
  },
  definition_missing: {
    http: 404,
    exit: 1,
    next: 'The definition was pruned; start a new run: pawl run',
  },
  dirty_tree: {
    http: 400,
    exit: 2,
    next: 'Commit or stash the changes, or give --include-changes or --base HEAD.',
  },
  disk_full: { http: 507, exit: 1, next: 'Free space, for example: pawl prune' },
  endless: {
    http: 400,
    exit: 2,
    next: 'Remove the brakes block to get the defaults, or give one a finite value; then: pawl config check',
  },
  environment_busy: {
    http: 503,
    exit: 1,
    next: 'Try again when the other setup has ended: pawl status',
  },
  git_failed: {
    http: 500,
    exit: 1,
    next: 'Read what git said (nothing of yours was changed); whether git works here: pawl doctor',
  },
  git_missing: {
    http: 500,
    exit: 2,
    next: 'Install git 2.34 or newer and put it on PATH; then: pawl doctor',
  },
  goal_missing: {
    http: 400,
    exit: 2,
    next: 'Say what is wanted: pawl run "make the failing tests pass"',
  },
  'grant.stale': {
    http: 409,
    exit: 1,
    next: 'Stop writing: another execution owns the attempt now.',
  },
  grant_needed: { http: 409, exit: 2, next: 'Grant what is spent: pawl resume <run> --help' },
  host_refused: {
    http: 421,
    exit: 2,
    next: 'Call the server by a name it knows, or start it with --host <name>.',
  },
  human_required: {
    http: 403,
    exit: 2,
    next: 'Ask the operator to run it in a terminal: pawl <command>',
  },
  internal_error: {
    http: 500,
    exit: 70,
    next: 'This is a bug of pawl; a report file is named. Your runs go on: pawl status',
  },
  key_unusable: {
    http: 500,
    exit: 1,
    next: 'Restore the key file from a backup, or move it away (old receipts keep their old key); then: pawl audit verify',
  },
  land_refused: {
    http: 409,
    exit: 1,
    next: 'Nothing was changed; deal with what is named and land again: pawl land <run>',
  },
  listen_failed: {
    http: 500,
    exit: 1,
    next: 'Give an address of this machine: pawl serve --listen 127.0.0.1:7295',
  },
  listen_insecure: {
    http: 400,
    exit: 2,
    next: 'Give --tls-cert and --tls-key, or say --insecure where the network is safe.',
  },
  no_answer: { http: 400, exit: 2, next: 'Answer it, or give the flag that says it: --help' },
  no_commit: { http: 400, exit: 2, next: 'git commit --allow-empty -m start' },
  no_opinion: { http: 503, exit: 1, next: 'See what became of each: pawl show <run> --events' },
  no_worktree: {
    http: 404,
    exit: 1,
    next: 'The tree was never made, or was removed by prune; its branch is kept: pawl show <run>',
  },
  not_enrolled: {
    http: 401,
    exit: 2,
    next: 'pawl worker enroll, on the server; here: pawl worker --server … --code …',
  },
  not_git: {
    http: 400,
    exit: 2,
    next: 'git init && git add -A && git commit -m start, or --isolation none',
  },
  not_remote: {
    http: 400,
    exit: 2,
    next: 'Leave out --server (and PAWL_SERVER): it is about this machine.',
  },
  not_supported: {
    http: 400,
    exit: 2,
    next: 'Leave it out; every key that is honoured: pawl config schema',
  },
  not_yours: {
    http: 403,
    exit: 2,
    next: 'Ask the operator to run it in a terminal: pawl <command>',
  },
  note_missing: { http: 400, exit: 2, next: 'Say why: --note "…"' },
  origin_refused: {
    http: 403,
    exit: 2,
    next: 'Call it from a program, or from a page of this server; GET /openapi.json tells what there is.',
  },
  outcome_unknown: {
    http: 409,
    exit: 1,
    next: 'It may have been done: look first: pawl status',
  },
  plane_refused: {
    http: 409,
    exit: 1,
    next: 'See what the server says of the worker: pawl worker list, on the server.',
  },
  plane_unreachable: {
    http: 503,
    exit: 1,
    next: 'See that pawl serve runs and can be reached; what was done is kept and handed in later.',
  },
  port_taken: {
    http: 500,
    exit: 1,
    next: 'Stop what listens there, or give another: pawl serve --listen 127.0.0.1:0',
  },
  program_missing: {
    http: 400,
    exit: 2,
    next: 'Install the program, or name another; what is found here: pawl doctor',
  },
  project_elsewhere: {
    http: 409,
    exit: 2,
    next: 'Type it where the project lies, or clone it at that path on the machine of the server: git clone <url>',
  },
  request_invalid: {
    http: 400,
    exit: 2,
    next: 'Send a request by HTTP/1.1; GET /openapi.json tells what there is.',
  },
  request_timeout: {
    http: 408,
    exit: 1,
    next: 'Send the whole request at once; GET /openapi.json tells what each request is.',
  },
  run_archived: {
    http: 410,
    exit: 2,
    next: 'Fetch its archive: pawl artifact get <sha256:…> --out <file>',
  },
  run_not_found: { http: 404, exit: 2, next: 'pawl list --all' },
  same_agent: {
    http: 400,
    exit: 2,
    next: 'roles.verify: { profile: oracle }, or remove the oracle criterion.',
  },
  server_draining: {
    http: 503,
    exit: 1,
    next: 'Try again when a new one has started, or name another: --server <url>',
  },
  server_full: {
    http: 503,
    exit: 1,
    next: 'Try again when other connections have ended, or name another: --server <url>',
  },
  server_insecure: {
    http: 400,
    exit: 2,
    next: 'Give its https:// address, or set PAWL_SERVER_INSECURE=1 where the network is safe.',
  },
  server_unlike: {
    http: 500,
    exit: 1,
    next: 'Use the same version of pawl on both sides: pawl --version',
  },
  server_unreachable: {
    http: 503,
    exit: 1,
    next: 'Start it (pawl serve), or leave out --server (and PAWL_SERVER).',
  },
  service_failed: {
    http: 500,
    exit: 1,
    next: 'Start a driver by hand, or see what is set up: pawl service status',
  },
  setup_failed: {
    http: 500,
    exit: 1,
    next: 'Correct the setup command, and try it in a clean checkout: pawl checks --setup "…" --run',
  },
  several_checks: { http: 400, exit: 2, next: 'Name the checks that must pass: --check "…"' },
  short_and_long: {
    http: 400,
    exit: 2,
    next: 'Keep one of the two forms; then: pawl config check',
  },
  source_unavailable: {
    http: 409,
    exit: 1,
    next: 'Let a driver on the machine of its repository do this run: pawl service start',
  },
  source_unreachable: {
    http: 503,
    exit: 1,
    next: 'Nothing need be done: the source is sent as a bundle. Which workers there are: pawl worker list',
  },
  spawn_failed: {
    http: 500,
    exit: 1,
    next: 'See what the system says; the limits that are known: pawl doctor',
  },
  'store.busy': { http: 503, exit: 1, next: 'Run the command again; the store was busy for 10 s.' },
  store_closed: { http: 503, exit: 1, next: 'Open the store again, or type it again: pawl status' },
  store_network: {
    http: 503,
    exit: 1,
    next: 'Name a folder on a disk of this machine: export PAWL_HOME=<folder>',
  },
  store_newer: {
    http: 503,
    exit: 1,
    next: 'Upgrade pawl (the store was left as it is); the version that you have: pawl --version',
  },
  store_unusable: {
    http: 503,
    exit: 1,
    next: 'Make the folder writable, or name another: export PAWL_HOME=<folder>',
  },
  terminal_missing: {
    http: 500,
    exit: 1,
    next: 'Install pawl without --omit=optional, or give the agent as command: instead of pty:',
  },
  token_missing: {
    http: 401,
    exit: 2,
    next: 'Make one where the server runs: pawl operator token, then set PAWL_OPERATOR_TOKEN.',
  },
  token_refused: {
    http: 401,
    exit: 2,
    next: 'Make another where the server runs: pawl operator token',
  },
  two_files: { http: 400, exit: 2, next: 'Keep one of the two files; then: pawl config check' },
  unknown_command: { http: 400, exit: 2, next: 'pawl --help' },
  unknown_endpoint: {
    http: 404,
    exit: 2,
    next: 'GET /openapi.json tells what there is.',
  },
  unknown_flag: { http: 400, exit: 2, next: 'pawl <command> --help' },
  unknown_key: { http: 400, exit: 2, next: 'pawl config check' },
  usage: { http: 400, exit: 2, next: 'pawl <command> --help' },
  verifier_missing: {
    http: 400,
    exit: 2,
    next: 'roles.verify: { profile: oracle }, or --verify-agent',
  },
  worker_running: {
    http: 409,
    exit: 2,
    next: 'Use the one that runs, or give this one another home: export PAWL_HOME=<folder>',
  },
  workspace_busy: {
    http: 503,
    exit: 1,
    next: 'Run the command again; what works on the repository: pawl status',
  },
  workspace_failed: {
    http: 500,
    exit: 1,
    next: 'Read what was found (nothing was removed); whether git works here: pawl doctor',
  },
  workspace_lost: {
    http: 410,
    exit: 1,
    next: 'Carry on in a new tree from the last snapshot: pawl resume <run> --fresh',
  },
  wrong_verb: { http: 409, exit: 2, next: 'Type the verb that fits the state: pawl show <run>' },
  yaml_syntax: { http: 400, exit: 2, next: 'Correct the line; pawl config check tries it.' },
} as const satisfies Record<string, { http: number; exit: number; next: string }>;

export type ErrorCode = keyof typeof errorCodes;
