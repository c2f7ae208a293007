/** Part 2: Codex from npm as a command lane, against the scripted model server. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedAgent } from '../agent-clis.mjs';
import { expectVerified, root } from './world.mjs';

const configuration = (url) => `model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "Scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`;

/**
 * Every conversation looks at the tests, edits, looks again, and claims success. The edit of the
 * first one is wrong; the later ones mend the bug.
 */
function script() {
  let conversations = 0;
  const edits = ['s/middle \\+ 1/middle + 0/', 's/middle \\+ [01]/middle - 1/'];
  return (_request, turn) => {
    if (turn === 0) conversations += 1;
    const edit = edits[Math.min(conversations, edits.length) - 1];
    const turns = [
      { text: 'I look at what fails.', tool: { shell: 'node --test 2>&1 | tail -n 40' } },
      {
        text: 'The index of the lower middle is off.',
        tool: { shell: `sed -i -E '${edit}' src/statistics.js` },
      },
      { text: 'I look at the change.', tool: { shell: 'git diff --stat' } },
      { text: 'done, all tests pass' },
    ];
    return turns[Math.min(turn, turns.length - 1)];
  };
}

export async function codexPart(world) {
  const folder = installedAgent('codex', (line) => process.stdout.write(`${line}\n`));
  const binary = join(folder, 'node_modules/.bin/codex');
  const version = world.command(world.directory, binary, '--version').trim();
  world.heading(`2. A real agent CLI: ${version}, against a scripted model`);
  const { modelServer } = await import(new URL('../../dist/testing.js', import.meta.url).href);
  const server = await modelServer({ script: { '': script() } });
  try {
    const project = join(world.directory, 'statistics');
    cpSync(join(root, 'examples/mutation-agent/project'), project, { recursive: true });
    world.commitAsBase(project, 'A project with a failing test');
    const home = join(world.directory, 'codex-home');
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'config.toml'), configuration(server.url));

    const agent = [
      ...['env', `CODEX_HOME=${home}`, 'SCRIPTED_KEY=none', binary],
      ...['exec', '--dangerously-bypass-approvals-and-sandbox', '-'],
    ];
    const exit = await world.pawl(
      project,
      ...['run', 'Make the failing test pass'],
      ...['--check', 'node --test', '--agent-cmd', agent.join(' ')],
    );
    await expectVerified(world, project, exit);
    const answered = server.requests();
    const calls = answered.filter(({ answer }) => answer.call !== null);
    const results = answered.filter(({ request }) => request.toolText !== null);
    process.stdout.write(
      `  the model was asked ${answered.length} times; ${calls.length} tool calls, ${results.length} results\n`,
    );
    if (results.length < 3) throw new Error('the agent ran none of its tools');
  } finally {
    await server.close();
  }
}
