/**
 * A home as somebody has it who uses an agent by himself: a server of tools, a hook or plugin, and
 * a skill, each in the place where that program looks for its user's own; and a login that leads to
 * the scripted model server. What is started of it leaves a mark.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface PersonalPlaces {
  readonly home: string;
  readonly tree: string;
  /** Address of the scripted model server. */
  readonly models: string;
  /** Where marks are left. */
  readonly marks: string;
}

type Files = readonly (readonly [path: string, content: unknown])[];

interface PersonalHome {
  readonly files: Files;
  /** Of the project: its address of the models, where the program has no other place for it. */
  readonly project?: Files;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** What is started of it, where it is used. */
  readonly starts: readonly ('extension' | 'hook' | 'server')[];
}

export const skillText = 'CANARY-of-a-skill-of-the-user';
export const projectText = 'CANARY-of-the-projects-file';

const key = 'sk-users-own-5566778899';
const skill = `---\nname: mine\ndescription: ${skillText}\n---\nDo it.\n`;

/** Starts, leaves its mark, and serves nothing. */
const serverProgram = `import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
writeFileSync(process.argv[2], '');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answers = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} },
      serverInfo: { name: 'mine', version: '1' } },
    'tools/list': { tools: [{ name: 'mine_tool', inputSchema: { type: 'object' } }] },
  };
  if (id === undefined) return;
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} }) + '\\n');
});
`;

const personalHomes: Readonly<Record<string, (places: PersonalPlaces) => PersonalHome>> = {
  claude: ({ models, marks }) => ({
    starts: ['hook', 'server'],
    files: [
      ['.claude.json', { hasCompletedOnboarding: true, mcpServers: { mine: server(marks) } }],
      [
        '.claude/settings.json',
        {
          hooks: { SessionStart: [{ hooks: [{ type: 'command', command: mark(marks, 'hook') }] }] },
        },
      ],
      ['.claude/skills/mine/SKILL.md', skill],
    ],
    env: { ANTHROPIC_BASE_URL: models, ANTHROPIC_API_KEY: key },
  }),
  codex: ({ models, marks }) => ({
    // Its hooks run once each of them is trusted.
    starts: ['server'],
    files: [
      ['.codex/auth.json', { OPENAI_API_KEY: key }],
      [
        '.codex/config.toml',
        `[mcp_servers.mine]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(server(marks).args)}\n`,
      ],
      [
        '.codex/hooks.json',
        {
          hooks: {
            SessionStart: [{ hooks: [{ type: 'command', command: mark(marks, 'hook') }] }],
          },
        },
      ],
      ['.codex/skills/mine/SKILL.md', skill],
    ],
    args: ['-c', `openai_base_url="${models}/v1"`],
  }),
  opencode: ({ models, marks }) => ({
    starts: ['hook', 'server'],
    files: [
      ['.local/share/opencode/auth.json', { openai: { type: 'api', key } }],
      [
        '.config/opencode/opencode.json',
        {
          mcp: {
            mine: {
              type: 'local',
              command: [process.execPath, ...server(marks).args],
              enabled: true,
            },
          },
        },
      ],
      [
        '.config/opencode/plugin/mine.js',
        `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(join(marks, 'hook'))}, '');
export const Mine = async () => ({});\n`,
      ],
      ['.config/opencode/skills/mine/SKILL.md', skill],
      ['.claude/skills/other/SKILL.md', skill.replace('mine', 'other')],
    ],
    project: [
      [
        'opencode.json',
        { provider: { openai: { options: { baseURL: `${models}/v1` }, models: { 'gpt-5': {} } } } },
      ],
    ],
  }),
  gemini: ({ models, marks }) => ({
    starts: ['extension', 'hook', 'server'],
    files: [
      [
        '.gemini/settings.json',
        {
          security: { auth: { selectedType: 'gemini-api-key' } },
          mcpServers: { mine: server(marks) },
          hooks: Object.fromEntries(
            ['SessionStart', 'BeforeAgent', 'BeforeModel'].map((name) => [
              name,
              [{ hooks: [{ name: 'mine', type: 'command', command: mark(marks, 'hook') }] }],
            ]),
          ),
        },
      ],
      ['.gemini/skills/mine/SKILL.md', skill],
      ['.agents/skills/other/SKILL.md', skill.replace('mine', 'other')],
      [
        '.gemini/extensions/mine/gemini-extension.json',
        { name: 'mine', version: '1.0.0', mcpServers: { ext: server(marks, 'extension') } },
      ],
    ],
    env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: models },
  }),
  qwen: ({ models, marks }) => ({
    starts: ['extension', 'hook', 'server'],
    files: [
      [
        '.qwen/settings.json',
        {
          security: { auth: { selectedType: 'openai' } },
          mcpServers: { mine: server(marks) },
          hooks: {
            SessionStart: [{ hooks: [{ type: 'command', command: mark(marks, 'hook') }] }],
          },
        },
      ],
      ['.qwen/skills/mine/SKILL.md', skill],
      ['.agents/skills/other/SKILL.md', skill.replace('mine', 'other')],
      [
        '.qwen/extensions/mine/qwen-extension.json',
        { name: 'mine', version: '1.0.0', mcpServers: { ext: server(marks, 'extension') } },
      ],
    ],
    env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${models}/v1`, OPENAI_MODEL: 'gpt-5' },
  }),
  copilot: ({ models, marks }) => ({
    starts: ['hook', 'server'],
    files: [
      [
        '.copilot/mcp-config.json',
        { mcpServers: { mine: { type: 'local', ...server(marks), tools: ['*'] } } },
      ],
      [
        '.copilot/settings.json',
        { hooks: { sessionStart: [{ type: 'command', bash: mark(marks, 'hook') }] } },
      ],
      ['.copilot/skills/mine/SKILL.md', skill],
      ['.agents/skills/other/SKILL.md', skill.replace('mine', 'other')],
    ],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${models}/v1`,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_PROVIDER_WIRE_API: 'responses',
      COPILOT_OFFLINE: 'true',
    },
  }),
  pi: ({ models, marks }) => ({
    starts: ['hook'],
    files: [
      [
        '.pi/agent/models.json',
        { providers: { openai: { baseUrl: `${models}/v1`, apiKey: key } } },
      ],
      [
        '.pi/agent/extensions/mine.js',
        `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(join(marks, 'hook'))}, '');
export default function () {}\n`,
      ],
      ['.pi/agent/skills/mine/SKILL.md', skill],
      ['.agents/skills/other/SKILL.md', skill.replace('mine', 'other')],
    ],
  }),
};

const server = (marks: string, name = 'server') => ({
  command: process.execPath,
  args: [join(marks, 'server.mjs'), join(marks, name)],
});

const mark = (marks: string, name: string) => `touch '${join(marks, name)}'`;

export function plantHome(agent: string, places: PersonalPlaces): PersonalHome {
  const make = personalHomes[agent];
  if (make === undefined) throw new Error(`nothing is known of a home of ${agent}`);
  const home = make(places);
  put(places.marks, 'server.mjs', serverProgram);
  for (const [path, content] of home.files) put(places.home, path, content);
  for (const [path, content] of home.project ?? []) put(places.tree, path, content);
  for (const name of ['AGENTS', 'CLAUDE', 'GEMINI', 'QWEN']) {
    put(places.tree, `${name}.md`, projectText);
  }
  return home;
}

function put(root: string, path: string, content: unknown): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), {
    mode: 0o600,
  });
}

/** What was started, by name. */
export function marksIn(marks: string): readonly string[] {
  return readdirSync(marks)
    .filter((name) => name !== 'server.mjs')
    .sort();
}
