/**
 * From the first message to the prompt: initialize, log in where the agent needs to be told how,
 * open a session, set what it must be held to and read that back. No file system and no terminal of
 * ours are offered: agents would write through us what they can write themselves (acp.md §5.10).
 */

import { type Fields, fieldsIn, fieldsOf, textOf } from '../../../kernel/json.ts';
import { clipLine } from '../../../kernel/text.ts';
import { failureOf } from './failure.ts';
import type { AcpSetting } from './profile.ts';
import type { RpcError } from './rpc.ts';
import { type AcpState, ask, fail, type Out, type Step } from './state.ts';

const protocolVersion = 1;
/** An agent that goes on replaying for so many requests is not waited for. */
const settlingsMax = 200;
const optionsMax = 100;
const detailMax = 500;

export function initialize(state: AcpState, out: Out) {
  ask(state, out, 'initialize', [
    'initialize',
    {
      protocolVersion,
      clientInfo: { name: 'pawl', version: '1' },
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    },
  ]);
}

export function answered(state: AcpState, out: Out, step: Step, result: Fields) {
  switch (step) {
    case 'initialize':
      return initialized(state, out, result);
    case 'authenticate':
      return open(state, out, waysTo(state));
    case 'new':
    case 'resume':
    case 'load':
      return opened(state, out, step, result);
    case 'setting':
    case 'settling':
      readBack(state, result);
      return settle(state, out);
    case 'prompt':
      return;
  }
}

/**
 * An earlier conversation that cannot be taken up is no reason to lose the turn (gemini's minute).
 */
export function refused(state: AcpState, out: Out, step: Step, error: RpcError) {
  const failure = failureOf(error);
  const isWaited = failure.how === 'limit' || failure.class === 'auth_required';
  if ((step === 'resume' || step === 'load') && !isWaited) {
    const detail = `the earlier conversation cannot be taken up (${step}): ${failure.detail}`;
    out.events.push({ kind: 'error', detail: clipLine(detail, detailMax) });
    const ways = waysTo(state);
    return open(state, out, ways.slice(ways.indexOf(step) + 1));
  }
  const detail = clipLine(`${step} was refused: ${failure.detail}`, detailMax);
  // A limit and a login are waited for wherever they are met, the first until it says.
  if (isWaited) return fail(state, out, { ...failure, detail });
  const isSetting = step === 'setting' || step === 'settling';
  fail(state, out, { ...failure, detail, class: isSetting ? 'dispatch_failed' : failure.class });
}

/** It cannot be held to what it must be, or cannot be spoken with. */
function unfit(state: AcpState, out: Out, detail: string) {
  fail(state, out, { how: 'failed', class: 'dispatch_failed', detail });
}

function initialized(state: AcpState, out: Out, result: Fields) {
  if (result['protocolVersion'] !== protocolVersion) {
    const said = clipLine(JSON.stringify(result['protocolVersion'] ?? null), 40);
    return unfit(state, out, `it speaks version ${said} of ACP, and not 1`);
  }
  state.capabilities = fieldsOf(result['agentCapabilities']);
  state.version = textOf(fieldsOf(result['agentInfo'])['version']);
  const methodId = state.turn.profile.authenticate;
  if (methodId === null) return open(state, out, waysTo(state));
  ask(state, out, 'authenticate', ['authenticate', { methodId }]);
}

type Way = 'resume' | 'load' | 'new';

/** Best first; what the agent does not announce is not tried. */
function waysTo({ turn, capabilities }: AcpState): readonly Way[] {
  if (turn.sessionId === null) return ['new'];
  const hasResume = fieldsOf(capabilities['sessionCapabilities'])['resume'] !== undefined;
  const has = { resume: hasResume, load: capabilities['loadSession'] === true };
  return [...turn.profile.reopens.filter((way) => has[way]), 'new'];
}

function open(state: AcpState, out: Out, ways: readonly Way[]) {
  const [way = 'new'] = ways;
  const { turn } = state;
  const mcpServers = turn.servers.map(({ name, command, args, env }) => ({
    name,
    command,
    args,
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
  }));
  const where = { cwd: turn.cwd, mcpServers };
  if (way === 'new') return ask(state, out, 'new', ['session/new', where]);
  ask(state, out, way, [`session/${way}`, { sessionId: turn.sessionId, ...where }]);
}

function opened(state: AcpState, out: Out, way: Way, result: Fields) {
  const id = textOf(result['sessionId']) ?? (way === 'new' ? null : state.turn.sessionId);
  if (id === null) return unfit(state, out, 'it opened a session without an id');
  state.sessionId = id;
  state.isReopened = way !== 'new';
  out.events.push({ kind: 'session', id });
  state.mode = textOf(fieldsOf(result['modes'])['currentModeId']);
  state.model = textOf(fieldsOf(result['models'])['currentModelId']);
  readOptions(state, result);
  settle(state, out);
}

/**
 * A list of options says where they stand. A mode is acknowledged without being named; an agent
 * that stands elsewhere tells so (`current_mode_update`): what it told since it was asked stands,
 * and what it tells later ends its turn.
 */
function readBack(state: AcpState, result: Fields) {
  readOptions(state, result);
  const { settings } = state.turn;
  const sent = settings[Math.max(0, state.settled - 1)];
  if (sent?.kind === 'mode') state.mode = textOf(result['modeId']) ?? state.mode ?? sent.value;
}

/** What a session's options stand at; a list that is there is whole. */
export function readOptions(state: AcpState, told: Fields) {
  const options = fieldsIn(told['configOptions']).slice(0, optionsMax);
  if (options.length === 0) return;
  state.options.clear();
  for (const option of options) {
    const [id, value] = [textOf(option['id']), textOf(option['currentValue'])];
    if (id !== null && value !== null) state.options.set(id, value);
  }
  state.model = state.options.get('model') ?? state.model;
}

/**
 * Each setting in its turn; then again while a replay outlasts its answer, and where it told of
 * another mode before it answered: that may be the one from before.
 */
function settle(state: AcpState, out: Out) {
  const { settings } = state.turn;
  const next = settings[state.settled];
  if (next !== undefined) {
    state.settled += 1;
    return set(state, out, 'setting', next);
  }
  const again = settings.at(-1);
  const mayWait = state.isReplaying && state.settlings < settlingsMax;
  if (mayWait && again !== undefined && (state.isReopened || !stands(state, again))) {
    state.settlings += 1;
    return set(state, out, 'settling', again);
  }
  const wrong = settings.find((one) => !stands(state, one));
  if (wrong !== undefined) return unfit(state, out, notHeld(state, wrong));
  const { version, model, mode } = state;
  out.events.push({ kind: 'started', version, model, mode: mode ?? optionMode(state) });
  ask(state, out, 'prompt', [
    'session/prompt',
    { sessionId: state.sessionId, prompt: [{ type: 'text', text: state.turn.prompt }] },
  ]);
  out.events.push({ kind: 'delivery', state: 'sent' });
}

function set(state: AcpState, out: Out, step: 'setting' | 'settling', one: AcpSetting) {
  const { sessionId } = state;
  if (one.kind === 'option') {
    const params = { sessionId, configId: one.id, value: one.value };
    return ask(state, out, step, ['session/set_config_option', params]);
  }
  // What it read before says nothing of what it is set to now.
  state.mode = null;
  ask(state, out, step, ['session/set_mode', { sessionId, modeId: one.value }]);
}

/** Whether it stands where it was set; nothing read is nothing held. */
export function stands({ mode, options }: AcpState, one: AcpSetting): boolean {
  return one.kind === 'mode' ? mode === one.value : options.get(one.id) === one.value;
}

export function notHeld(state: AcpState, one: AcpSetting): string {
  const read = one.kind === 'mode' ? state.mode : (state.options.get(one.id) ?? null);
  const what = one.kind === 'mode' ? 'permission mode' : `option ${one.id}`;
  return `its ${what} was set to ${one.value} and reads ${clipLine(read ?? 'nothing', 80)}`;
}

function optionMode({ turn, options }: AcpState): string | null {
  const option = turn.settings.find((one) => one.kind === 'option');
  return option?.kind === 'option' ? (options.get(option.id) ?? null) : null;
}
