/**
 * The conditions under which the rule of liveness was measured (research/liveness.md §1, §5), as
 * data: what the screen, the door and the processes show each second, and what the lane is. The
 * rows are drawn as the programs draw them; conditions that look different in different programs
 * stand once for each way.
 */
import type {
  LivenessReason,
  LivenessState,
  ToolSign,
} from '../../src/domain/liveness/classify.ts';

export type Program = 'claude' | 'codex' | 'gemini' | 'opencode' | 'pi' | 'qwen' | 'copilot';

/**
 * How long a program itself waits for a model before it gives up (measured; research §5 line 6);
 * in the others no time-out was seen within 160 to 420 s.
 */
export const modelTimeoutsMs: Readonly<Partial<Record<Program, number>>> = {
  gemini: 60_000,
  qwen: 120_000,
  claude: 360_000,
};

type Rows = (second: number) => readonly string[];

const frame = (frames: string, second: number) => [...frames][second % [...frames].length] ?? '';
const jokes = ['Rickrolling my boss', 'Counting sheep backwards', 'Asking the rubber duck'];

/** What stands on the screen while a program waits: glyphs and timers move, nothing else does. */
export const waiting: Readonly<Record<Program, Rows>> = {
  claude: (s) => [`${frame('✻✶✳✢', s)} Razzle-dazzling… (${s}s · esc to interrupt)`, '> '],
  codex: (s) => [`${frame('•◦', s)} Working (${s}s • esc to interrupt)`, '  100% context left'],
  gemini: (s) => [`${frame('⠋⠙⠹⠸⠼', s)} Thinking... (esc to cancel, ${s}s)`],
  opencode: (s) => [`${frame('■⬝', s)}■■⬝⬝⬝ esc interrupt`, `Build · fake-model · ${s}s`],
  pi: (s) => [`${frame('⠋⠙⠹⠸⠼', s)} Working... (Esc to interrupt)`],
  qwen: (s) => [
    `${frame('⠏⠇⠧', s)} ${jokes[Math.floor(s / 15) % 3]} ${s < 45 ? '' : 'again'}… (esc to cancel, ${s}s)`,
  ],
  copilot: (s) => [`${frame('◉◎', s)} Thinking (Esc to cancel)`],
};

const retrying: Readonly<Partial<Record<Program, Rows>>> = {
  claude: (s) => [
    `API Error · Retrying in ${5 - (s % 5)} seconds… (attempt ${Math.floor(s / 5)}/10)`,
  ],
  gemini: (s) => [`Trying to reach the model (Attempt ${Math.floor(s / 5)}/10)`],
  opencode: (s) => [
    `Internal server error [retrying in ${5 - (s % 5)}s attempt #${Math.floor(s / 5)}]`,
  ],
  pi: (s) => [`Retrying (${Math.floor(s / 5)}/10) in ${5 - (s % 5)}s...`],
  qwen: (s) => [`Rate limited. Retry attempt ${Math.floor(s / 5)}`],
};

/** A number in letters, so that only words differ. */
const spelled = (n: number) =>
  [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('ly ');

export interface Condition {
  readonly name: string;
  readonly program: Program;
  readonly rows: Rows;
  /** What the models door sees. */
  readonly model: 'nothing' | 'silent' | 'half' | 'refusing' | 'gave_up' | 'streaming' | 'polled';
  /** What a child process of the program does in each second; null: there is none. */
  readonly tool: { readonly ticks: number; readonly written: number } | null;
  readonly changesFiles?: true;
  readonly stops?: true;
  readonly asks?: true;
  readonly withDoor: Expected;
  readonly screenAlone: Expected;
}
export type Expected = readonly [
  state: LivenessState,
  ...more: readonly (LivenessReason | ToolSign)[],
];

const programs = ['claude', 'codex', 'gemini', 'opencode', 'pi', 'qwen', 'copilot'] as const;
const both = (...expected: Expected) => ({ withDoor: expected, screenAlone: expected });
const plain: Rows = () => ['> ', '  ? for shortcuts'];
const dialog: Rows = () => ['Do you want to proceed?', '❯ 1. Yes', '  2. No'];

const quietOnes = (program: Program): readonly Condition[] => [
  { name: 'idle', program, rows: plain, model: 'nothing', tool: null, ...both('quiet') },
  {
    ...{ name: 'permission dialog', program, rows: dialog, model: 'nothing', tool: null },
    ...{ asks: true, ...both('quiet', 'awaiting_input') },
  },
  {
    ...{ name: 'all stopped', program, rows: plain, model: 'streaming', tool: null },
    ...{ stops: true, ...both('stalled', 'frozen') },
  },
  {
    ...{ name: 'model hangs', program, rows: waiting[program], model: 'silent', tool: null },
    ...{ withDoor: ['quiet', 'model_wait'], screenAlone: ['quiet'] },
  },
  {
    ...{ name: 'model stalls midway', program, rows: waiting[program], model: 'half', tool: null },
    ...{ withDoor: ['quiet', 'model_wait'], screenAlone: ['quiet'] },
  },
  {
    ...{ name: 'model refuses', program, rows: retrying[program] ?? waiting[program] },
    ...{ model: 'refusing', tool: null },
    ...{ withDoor: ['quiet', 'backoff'], screenAlone: ['quiet'] },
  },
];

const tools = (program: Program): readonly Condition[] => {
  const tool = (name: string, rows: Rows, does: NonNullable<Condition['tool']>) => ({
    ...{ name: `tool ${name}`, program, rows, model: 'nothing' as const, tool: does },
  });
  const wait = waiting[program];
  return [
    { ...tool('sleeps', wait, { ticks: 0, written: 0 }), ...both('working_tool') },
    { ...tool('computes', wait, { ticks: 5, written: 0 }), ...both('working_tool', 'cpu') },
    {
      ...tool('writes files', wait, { ticks: 0, written: 40 }),
      ...{ changesFiles: true, ...both('working_tool', 'output', 'files') },
    },
    {
      ...tool('draws a spinner', (s) => [...wait(s), `${frame('|/-\\', s)} building (${s}s)`], {
        ...{ ticks: 0, written: 20 },
      }),
      ...both('working_tool', 'output'),
    },
    {
      ...tool('prints words', (s) => [...wait(s), `checked ${spelled(s)}`], {
        ...{ ticks: 0, written: 30 },
      }),
      ...both('working_tool', 'output', 'screen'),
    },
    {
      ...tool('counts', (s) => [...wait(s), `${s} of 5000 rows done`], { ticks: 0, written: 30 }),
      ...both('working_tool', 'output', 'screen'),
    },
    {
      ...tool('prints, and it is not drawn', wait, { ticks: 0, written: 30 }),
      ...both('working_tool', 'output'),
    },
  ];
};

const streams = (program: Program): readonly Condition[] => {
  const streaming = { program, model: 'streaming', tool: null } as const;
  const wait = waiting[program];
  const sentence: Rows = (s) => [
    ...wait(s),
    `sentence ${spelled(Math.floor(s / 5))} of the answer`,
  ];
  const tokens: Rows = (s) => [...wait(s), `thinking ↓ ${Math.floor(s / 5) * 7} tokens`];
  return [
    {
      ...{ name: 'text trickles', ...streaming, rows: sentence },
      ...{ withDoor: ['working_protocol'], screenAlone: ['working_local'] },
    },
    {
      ...{ name: 'thinking or arguments trickle, counted on the screen', ...streaming },
      ...{ rows: tokens, withDoor: ['working_protocol'], screenAlone: ['working_local'] },
    },
    {
      ...{ name: 'thinking or arguments trickle unseen', ...streaming, rows: wait },
      ...{ withDoor: ['working_protocol'], screenAlone: ['quiet'] },
    },
  ];
};

export const conditions: readonly Condition[] = [
  ...programs.flatMap((program) => [...quietOnes(program), ...tools(program), ...streams(program)]),
  {
    ...{ name: 'model refuses, and the turn is given up', program: 'codex', rows: plain },
    ...{ model: 'gave_up', tool: null, ...both('quiet') },
  },
  {
    ...{ name: 'tool sleeps and is polled', program: 'codex', rows: waiting.codex },
    ...{ model: 'polled', tool: { ticks: 0, written: 0 }, ...both('working_tool') },
  },
];
