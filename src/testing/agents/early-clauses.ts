/** C0–C2: what must hold before anything else can be believed. */
import type { Clause } from './clause.ts';
import { filesIn } from './files-in.ts';
import type { SeenTurn, StartedProgram } from './lanes.ts';
import { bigPrompt } from './lines.ts';
import { InfrastructureError } from './outcome.ts';
import { mainRequests, type Scene, type Trial } from './trial.ts';

export const earlyClauses: readonly Clause[] = [
  { id: 'C0', title: 'resolved and ready', needs: [], check: ready },
  { id: 'C1', title: 'environment hardened', needs: ['C0'], check: hardened },
  { id: 'C2', title: 'bootstrap delivered', needs: ['C0'], check: delivered },
];

async function ready(trial: Trial): Promise<readonly string[]> {
  const scene = await trial.first();
  const { turn } = scene;
  if (turn.started === null) return [`nothing was started: ${whyNot(turn)}`];
  const version = toldVersion(scene) ?? (await trial.version());
  if (version === null) return ['neither its events nor the program itself tell its version'];
  const { pinned } = trial.profile;
  // A bridge that drives the program has a version of its own; the program is asked beside it.
  const isPinned = pinned === null || version.includes(pinned);
  const asked = isPinned ? version : await trial.version();
  return isPinned || asked?.includes(pinned ?? '') === true
    ? []
    : [`it is version ${asked ?? version}, and ${pinned} is installed`];
}

/** Null: none of its events tells its version. */
function toldVersion({ signs }: Scene): string | null {
  const told = signs.flatMap(({ sign }) =>
    sign !== 'bytes' && sign.kind === 'started' && sign.version !== null ? [sign.version] : [],
  );
  return told[0] ?? null;
}

function whyNot({ result, exit }: SeenTurn): string {
  if (result?.kind !== 'failed') return exit;
  // A program that is not installed says nothing about its adapter.
  if (/there is no program/.test(result.detail)) throw new InfrastructureError(result.detail);
  return result.detail;
}

async function hardened(trial: Trial): Promise<readonly string[]> {
  const { profile, lanes } = trial;
  const scene = await trial.first();
  const { started } = scene.turn;
  if (started === null) return ['nothing was started'];
  const env = Object.entries(started.env);
  const leaked = env.filter(([, value]) => lanes.operator.secrets.some((s) => value.includes(s)));
  const loud = Object.entries(profile.quietEnv).filter(
    ([name, value]) => started.env[name] !== value,
  );
  const astray = profile.homeVariables.filter(
    (name) => !isInside(started.env[name] ?? '', scene.conversation.home),
  );
  return [
    ...leaked.map(([name]) => `a secret of the operator reached it in ${name}`),
    ...loud.map(([name, value]) => `${name} is not ${value}`),
    ...loudFiles(profile.quietFiles, started),
    ...profile.quietWords
      .filter((word) => !started.argv.includes(word))
      .map((word) => `it is not started with ${word}`),
    ...astray.map((name) => `${name} is "${started.env[name] ?? ''}"`),
    ...filesIn(lanes.operator.home).map((path) => `it wrote ${path} of its user's`),
  ];
}

function loudFiles(
  wanted: Readonly<Record<string, readonly string[]>>,
  { seeds }: StartedProgram,
): readonly string[] {
  return Object.entries(wanted).flatMap(([path, texts]) => {
    const seed = seeds.find((one) => one.path === path);
    const text = seed !== undefined && 'text' in seed ? seed.text : '';
    return texts.filter((one) => !text.includes(one)).map((one) => `${path} does not say ${one}`);
  });
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** The first request that can call tools; whatever else is asked before it is a side errand. */
async function delivered(trial: Trial): Promise<readonly string[]> {
  const scene = await trial.first();
  const [request] = [...mainRequests(scene), ...scene.requests];
  if (request === undefined) return [`the model was never asked: ${howItEnded(scene)}`];
  const said = [request.request.userText, ...stringsIn(JSON.parse(request.body))];
  if (said.some((text) => text.includes(bigPrompt))) return [];
  const longest = Math.max(...said.map((text) => commonLength(text)));
  return [`of ${bigPrompt.length} characters of the prompt, ${longest} came in one piece`];
}

function commonLength(text: string): number {
  const from = text.indexOf(bigPrompt.slice(0, 40));
  if (from < 0) return 0;
  let n = 0;
  while (n < bigPrompt.length && text[from + n] === bigPrompt[n]) n += 1;
  return n;
}

export function howItEnded({ turn }: Scene): string {
  const { result, exit, end } = turn;
  if (result?.kind === 'failed') return `${result.class}: ${result.detail}`;
  return end === null ? exit : `${end.outcome}`;
}

/** Every text of a parsed body. */
export function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
