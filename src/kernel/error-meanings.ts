/**
 * What each code of `error-codes.ts` means and what to do about it, at more length than a message
 * has room for: `pawl help <code>` and a section of docs/errors.md each. Commands stand in
 * backticks, and a test types every one of them. A new code needs its lines here as well.
 */
import type { ErrorCode } from './error-codes.ts';
import type { ErrorMeaning } from './error-meaning.ts';
import { serverMeanings } from './server-meanings.ts';

export const errorMeanings: Readonly<Record<ErrorCode, ErrorMeaning>> = {
  ...serverMeanings,
  agent_login: {
    means:
      'The program of the agent is installed, but nothing on this machine says that it is logged in: no file of its login, and none of the variables that hold a key. Every attempt would end at its login prompt, so the run is refused before anything is spent.',
    remedy:
      'Run the agent once by hand and log in, or set the variable that it reads its key from. If you know that it works (another home folder, a proxy), start it through `env`: `pawl run "…" --agent-cmd "env codex exec -"`.',
  },
  agent_missing: {
    means:
      'No agent is named, or the program of the one that is named is nowhere on PATH, or not where its path says. The message says what was looked for and what is there.',
    remedy:
      'Install it with the command that the message shows, name another, or give any command at all: `pawl run "…" --agent-cmd "my-agent {prompt}"`. `pawl demo` needs none.',
  },
  already_resolved: {
    means:
      'The gate that you answer was answered before, by you in another window or by somebody else. A gate has exactly one outcome; the first answer counts, and yours changed nothing.',
    remedy: 'See who answered, and how: `pawl show <run>`.',
  },
  ambiguous_run: {
    means: 'Several runs begin with what you typed, or carry that name.',
    remedy:
      'Type more characters of the id; the message lists the candidates. `@last` is the newest run of this project.',
  },
  argument_too_long: {
    means:
      'The prompt was to be put into an argument of the agent ({prompt_content}), and the operating system does not take one of that length.',
    remedy:
      'Let the agent read stdin (leave the token out), or hand it the path of the file: {prompt} instead of {prompt_content}.',
  },
  artifact_damaged: {
    means:
      'Stored bytes (an output, a history, a receipt) are no longer those that their digest names: a disk error, or somebody wrote there. Nothing is shown in their place.',
    remedy:
      'Restore the file below `artifacts` in PAWL_HOME, or its rows in the database, from a backup. `pawl audit verify` reads every artifact and names what is damaged.',
  },
  artifact_too_large: {
    means:
      'An output, an archive or a bundle is larger than what is kept under one digest (256 MiB). Nothing of it was kept.',
    remedy:
      'Have the check or the agent print less, or write the rest to a file of its own that is not an artifact.',
  },
  bad_value: {
    means:
      'A flag, a variable or a key has a value that is not one of its values. The message names the place, what was found and what is allowed.',
    remedy:
      'Correct it. `pawl config check` tries the files without starting anything; `pawl config schema` describes every key.',
  },
  check_green: {
    means:
      'A warning: every check already passes on the base commit. It guards against breaking things, but it cannot prove that the goal was reached; therefore a human looks at the end, and the run waits for that.',
    remedy:
      'Give a check that fails now: `pawl run "…" --check "npm test"`. If the check is only a guard, say so: `pawl run "…" --baseline green-ok`. `redFirst: true` on a criterion demands a new test that fails on the base.',
  },
  check_unrunnable: {
    means:
      'A check could not be run at all in a clean checkout of the base commit: a program is missing, the setup failed, or it did not end in time. No attempt could have passed it, so nothing was spent.',
    remedy:
      'Usually the setup is missing: `pawl checks --setup "npm ci" --run` tries one without starting a run. A check must end by itself: no watch mode.',
  },
  containment_failed: {
    means:
      'The agent could not be put into the process containment of this machine (a cgroup, a job, a process group), so that its end could not be proven. It was not started.',
    remedy:
      'Run the command again. If it stays like that, `pawl doctor` says what this machine offers.',
  },
  council_in_run: {
    means:
      'A role names the profile `council`. A council takes minutes for an answer and decides nothing, so it is no maker and no checker of a run.',
    remedy:
      'Give the role a shipped profile: fixer, designer, explorer or librarian for `roles.execute`, oracle, observer or test for `roles.verify`.',
  },
  credential_missing: {
    means:
      'A secret that the definition refers to (env:, file: or command:) cannot be had: the variable is not set, the file is not there, or the command failed. Its value is never shown.',
    remedy:
      'Set what the reference names, or change it under `secrets` in pawl.yaml; then `pawl resume <run>`, or start again.',
  },
  database_unreachable: {
    means:
      'The database gave no answer: its server is down, starting or full, or the network between is. Where the message says so, it went away in the middle of a commit, and nobody knows whether that was written.',
    remedy:
      'See that it runs at the address in PAWL_DATABASE (or --database), then type the command again; `pawl status` shows what was written. Servers and drivers try again by themselves.',
  },
  database_unusable: {
    means:
      'The database answers, and refuses: a wrong password, a name that is not there, a user who may not do what is needed, or tables of something else where the store should be.',
    remedy:
      'Correct the address in PAWL_DATABASE (or --database), or give its user the right; the store needs a database of its own. `pawl db status` tries it and changes nothing.',
  },
  definition_missing: {
    means: 'The stored definition of the run is gone, so it can neither go on nor be repeated.',
    remedy:
      'Start a new run: `pawl run "…"`. The branch of the old one is kept. `pawl audit verify` tells whether anything else is missing.',
  },
  dirty_tree: {
    means:
      'Your checkout has changes that the base commit does not have. The agent would work without them, which you might not expect; so you are asked, and without a terminal it is refused.',
    remedy:
      'Commit or stash them; or `pawl run "…" --include-changes` (a snapshot of them; your checkout stays as it is); or `pawl run "…" --base HEAD` (without them).',
  },
  disk_full: {
    means:
      'There is no space left where the state or the worktrees lie. What was committed is safe; runs wait or park.',
    remedy:
      'Free space. `pawl prune --dry-run` shows what pawl can give back, `pawl prune -y` does it.',
  },
  endless: {
    means:
      'No brake of the run is finite: neither attempts, nor cost, nor time. Such a run could go on for ever.',
    remedy:
      'Remove the brakes block (5 attempts, 8 hours), or give one of them a value: `pawl run "…" --attempts 5`.',
  },
  environment_busy: {
    means:
      'Another process prepares the same environment (setup for the same lock files), and it did not end within the time that this one waits.',
    remedy: 'Nothing is lost; it is tried again. `pawl status` shows what works at the moment.',
  },
  git_failed: {
    means:
      'A git command failed in a way that pawl has no better name for; its own words are in the message. Nothing of yours was changed.',
    remedy:
      'Read what git said. With `-v` the cause is shown as well, for example `pawl land <run> -v`.',
  },
  git_missing: {
    means: 'There is no git on PATH, or it is older than 2.34.',
    remedy: 'Install git 2.34 or newer; `pawl doctor` shows the one that is found.',
  },
  goal_missing: {
    means:
      'A run needs to be told what is wanted, and neither the command line nor pawl.yaml says it.',
    remedy: '`pawl run "make the failing tests pass"`, or `pawl run --goal-file goal.md`.',
  },
  'grant.stale': {
    means:
      'An execution wanted to write, but its lease has passed to another one. It is told to stop, and what it wrote was not taken: a late word changes nothing.',
    remedy: 'Nothing: the execution that owns the attempt goes on. `pawl show <run>` lists both.',
  },
  grant_needed: {
    means:
      'The run is parked because a brake is reached. Going on without a grant would park it again at once.',
    remedy:
      'Grant what is spent, for example `pawl resume <run> --attempts +3`; or `--cost`, `--tokens`, `--time`, whatever the message names.',
  },
  human_required: {
    means:
      'The command lifts a halt or decides something, and only a human may do that. It was typed by an agent, by a lane of pawl, or without a terminal; the refusal is recorded on the run.',
    remedy:
      'Type it yourself in a terminal. For a script, make a token in a terminal: `pawl operator token --for 8h --scope approve,land`, and hand it over as PAWL_OPERATOR_TOKEN. It does not count inside an agent.',
  },
  internal_error: {
    means: 'A bug of pawl. Your runs and their work are not touched by it; a report file is named.',
    remedy: 'Look at the report and send it where you got pawl from. `pawl status` shows the runs.',
  },
  key_unusable: {
    means:
      'The key that signs receipts cannot be read, is damaged, or is of another kind. Without it nothing is signed, and so nothing is called verified.',
    remedy:
      'Restore the file from a backup, or move it away: a new one is made. Old receipts keep their old key, so keep its public half.',
  },
  land_refused: {
    means:
      'The work was not brought to the branch: the branch moved and the merged result fails the checks, there is a conflict, or there is nothing to land. Nothing was changed.',
    remedy:
      'Deal with what the message names. Often `pawl retry <run> --base main` does it: a new run from the moved branch.',
  },
  no_answer: {
    means:
      'A question was not answered, or with something that it does not take. Nothing was started.',
    remedy:
      'Answer it, or give the flag that says it; `pawl <command> --help` lists the flags. With `-y` the answers in brackets are taken.',
  },
  no_commit: {
    means:
      'The repository has no commit yet: nothing to cut a branch from, and nothing to go back to.',
    remedy:
      '`git add -A && git commit -m start`, or an empty one: `git commit --allow-empty -m start`.',
  },
  no_opinion: {
    means:
      'A council was asked about a parked run, and none of its members said anything: each lane died three times, was limited, could not be started, or the run went on before. The run is as it was.',
    remedy:
      'The message tells the reason of each. `pawl show <run> --events` has what became of every execution; then ask again, or others: `pawl consult <run> --profiles oracle`.',
  },
  no_worktree: {
    means:
      'The run has no worktree: it was not made yet, or prune has removed it. Its branch is kept.',
    remedy:
      '`pawl diff <run>` shows the work all the same; `pawl resume <run> --fresh` makes a new tree from the last snapshot.',
  },
  not_enrolled: {
    means:
      'A server gives work to machines that a human let in; this one was not, or not yet, or it was revoked, or the server keeps another store than the one that knows it.',
    remedy:
      'On the server, `pawl worker enroll` shows a code that is good for one machine for a while. Here, `pawl worker --server https://pawl.example:7295 --code CODE` uses it; after that no code is needed.',
  },
  not_git: {
    means:
      'The folder is not in a git repository: there would be no branch, no undo and no drift check.',
    remedy:
      '`git init && git add -A && git commit -m start`, or say that it shall do without: `pawl run "…" --isolation none`.',
  },
  not_supported: {
    means:
      'A flag, a key or a mode that this version does not honour. It is refused by name; nothing is parsed and then ignored.',
    remedy: 'Leave it out. `pawl config schema` lists every key that is honoured.',
  },
  not_yours: {
    means:
      'An agent, a worker or a script tried something that its kind may not do, or on a run that it did not start.',
    remedy: 'Type the command yourself in a terminal.',
  },
  note_missing: {
    means:
      'The verb needs a reason: a rejection is told to the agent, an override stands in the record.',
    remedy: '`pawl reject <run> --note "the label is cut off"`, `pawl accept <run> --reason "…"`.',
  },
  plane_refused: {
    means:
      'The server does not take what this worker sent, or sent what this worker cannot believe: another release, a key that is not enrolled, bytes that do not fit their digest.',
    remedy:
      'The message names the rule. Use the same release of pawl on both machines; enrol the worker again when its key is not known.',
  },
  plane_unreachable: {
    means:
      'The server of the plane gave no answer in time. Nothing was decided: a silence is no refusal.',
    remedy:
      'It is tried again by itself. See that `pawl serve` runs and that the address can be reached from the worker.',
  },
  program_missing: {
    means:
      'A program that was to be started is nowhere on the PATH of the run. That is the PATH of the shell in which the run was started, not of the machine.',
    remedy:
      'Install it, or start the run from a shell that finds it. `pawl show <run>` shows what was to be started.',
  },
  run_archived: {
    means:
      'The run ended, and `pawl db archive` moved it out of the store into a file of its own: its events, refused callbacks and signed head. What it came to is in there; no command works on it any more. Its branch, if there was one, is still in the repository.',
    remedy:
      'Fetch the file by the digest that the message names, `pawl artifact get <sha256:…> --out archive.jsonl`, and check it: `pawl audit verify archive.jsonl`.',
  },
  run_not_found: {
    means: 'No run has that id or name. Names and `@last` mean this project; an id means any.',
    remedy: '`pawl list --all` lists this project, `pawl list --all -A` every one.',
  },
  same_agent: {
    means:
      'The same profile would do the work and judge it. Maker and checker must differ; one program may serve both roles as two profiles.',
    remedy:
      'Give the judge its own profile, `roles.verify: { profile: oracle }`, or use criteria that the runtime itself runs.',
  },
  service_failed: {
    means:
      'The service manager of this machine refused to start or stop the driver, or there is none that pawl knows.',
    remedy:
      '`pawl service status` shows what is set up. Without a service a driver is started by every command that needs one.',
  },
  setup_failed: {
    means: 'The setup command of the definition failed, so that no check could be run.',
    remedy:
      'Run it by hand in a fresh clone and correct it; `pawl checks --setup "npm ci" --run` tries it as pawl does.',
  },
  several_checks: {
    means:
      'Several checks were found and nobody could be asked which of them must pass. None is chosen silently.',
    remedy:
      'Name them: `pawl run "…" --check "npm run lint" --check "npm test"`; `-y` takes all; `pawl init` writes them down.',
  },
  short_and_long: {
    means:
      'A short key (agent, setup, check) stands beside the long form that it is short for, so that one of the two would have to lose.',
    remedy: 'Keep one of the two; `pawl config check` tells when the file is in order.',
  },
  source_unavailable: {
    means:
      'The commit that a run works on cannot be brought to a worker that shares no disk with its repository: the clone is shallow, Git LFS keeps contents of its files, a submodule is at an address of one machine or behind a login, or the bundle would be larger than is carried. A server that has hosts of its own gives the run to them.',
    remedy:
      'Read what was found. A shallow clone is completed with `git fetch --unshallow`; a large repository is pushed to a remote that a worker can read without a login. Else let a driver on the machine of the repository do this run.',
  },
  source_unreachable: {
    means:
      'A worker could not fetch the source of a run from its remote: no network, a login that it does not have, or a branch that was taken back meanwhile.',
    remedy:
      'Nothing need be done: the worker asks for a bundle instead. When this is shown all the same, see whether the server that holds the repository answers.',
  },
  spawn_failed: {
    means:
      'The system refused to start a process: a limit on processes or memory, or a file that cannot be executed.',
    remedy: 'Read what the system said; `pawl doctor` shows the limits that are known.',
  },
  'store.busy': {
    means: 'Another process wrote at the same time, for longer than this one waits.',
    remedy: 'Type the command again.',
  },
  store_closed: {
    means: 'The library was used after its store had been closed.',
    remedy: 'Open it again; a command of the command line never sees this.',
  },
  store_network: {
    means:
      'PAWL_HOME lies on a network file system, where neither the locks nor the writes of a database can be relied on.',
    remedy: 'Set PAWL_HOME to a folder on a disk of this machine; `pawl doctor` examines it.',
  },
  store_newer: {
    means:
      'A newer pawl has written this store, in a form that this one does not know. It was not touched.',
    remedy: 'Upgrade this pawl, or use the other one. `pawl --version` tells which this is.',
  },
  store_unusable: {
    means:
      'The store cannot be opened: the folder is not writable, the file is no store of pawl, or it is damaged.',
    remedy:
      'Make the folder writable, or set PAWL_HOME to another one; `pawl doctor` says what is wrong with it.',
  },
  terminal_missing: {
    means:
      'An agent is given by pty: and the module that opens terminals has no binary that can be ' +
      'loaded here.',
    remedy: 'Install pawl without --omit=optional, or give the agent by command: instead.',
  },
  two_files: {
    means: 'pawl.yaml and pawl.yml lie in the same folder, and either could be meant.',
    remedy: 'Keep one of the two. `pawl config path` shows which files are read.',
  },
  unknown_command: {
    means:
      'pawl has no command of that name. Words of other tools are answered with the word that is used here.',
    remedy: '`pawl --help` lists the commands.',
  },
  unknown_flag: {
    means: 'The command has no such flag. A flag is never parsed and ignored.',
    remedy: '`pawl <command> --help` lists its flags; the nearest one is named.',
  },
  unknown_key: {
    means: 'The file has a key that is not one of its keys; often a slip of the finger.',
    remedy: 'The nearest key is named. `pawl config check` says everything that is wrong at once.',
  },
  usage: {
    means: 'Words are missing or left over, or two flags exclude each other.',
    remedy: '`pawl <command> --help` shows the form.',
  },
  verifier_missing: {
    means:
      'A criterion of kind oracle or observer needs an agent that judges it, and the definition names none.',
    remedy:
      '`pawl run "…" --oracle "the API is unchanged" --verify-agent mine`, or `roles.verify: { profile: oracle }`, or remove the criterion.',
  },
  worker_running: {
    means: 'A worker of the same home folder runs on this machine already.',
    remedy:
      'Nothing need be done: it does the work of its server. For a second one, with another server say, set `PAWL_HOME` to another folder.',
  },
  workspace_busy: {
    means: 'Another pawl process works on the same repository, for longer than this one waits.',
    remedy: 'Type the command again; `pawl status` shows what works at the moment.',
  },
  workspace_failed: {
    means: 'A worktree could not be made, recorded or removed; what git said is in the message.',
    remedy: 'Nothing was removed. Deal with what git said and type the command again.',
  },
  workspace_lost: {
    means:
      'The worktree of the run is gone or no longer usable: somebody removed it, or its git data are damaged. The commits of the run are on its branch.',
    remedy: '`pawl resume <run> --fresh` goes on in a new tree from the last snapshot.',
  },
  wrong_verb: {
    means: 'The verb does not fit the state of the run; the message fills in the one that does.',
    remedy: '`pawl help states` lists which verb fits which state.',
  },
  yaml_syntax: {
    means: 'The file is not YAML; the line and the column are named.',
    remedy: 'Correct the line; `pawl config check` tries it.',
  },
};
