/**
 * Goal: doctor shows of each agent what was seen of the very version that is installed; what was
 * not seen is never called ok (UX 5.4).
 */
import { expect, test } from 'vitest';
import { type CliScript, typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import { scriptedIo } from '../../test/support/scripted-io.ts';
import {
  type AgentSignals,
  nothingSeen,
  type Probed,
  type ProbeRequest,
} from '../ports/agent-probe.ts';
import type { HealthCheck } from '../ports/health.ts';

const now = scriptedIo().now();
const all: AgentSignals = {
  ...{ tools: 'yes', servers: 'yes', usage: 'total', metered: 'yes' },
  ...{ limits: 'yes', resume: 'yes', cancel: 0 },
};
const seen = (agent: string, more: Partial<Probed> = {}): Probed => ({
  ...{ agent, version: '2.1.332', at: now, ok: true, problems: [], signals: all, ...more },
});

const agents = [
  ['claude', '2.1.332', 'yes'],
  ['codex', '0.171.0', 'unknown'],
] as const;

/** `kept`: of earlier probes; `found`: what a probe finds now. */
function script(kept: readonly Probed[], found: readonly Probed[] = [], more: CliScript = {}) {
  const probed: string[] = [];
  const known = new Map(kept.map((one) => [one.agent, one]));
  const value: CliScript = {
    client: scriptedClient([]),
    machine: { agents },
    terminal: { columns: 140 },
    probes: {
      last: async (agent) => known.get(agent) ?? null,
      probe: async ({ agent, version, progress }) => {
        probed.push(`${agent} ${version}`);
        progress(`${agent}: a limit`);
        const result = found.find((one) => one.agent === agent) ?? seen(agent, { version });
        known.set(agent, result);
        return result;
      },
    },
    ...more,
  };
  return { value, probed };
}

function rows(out: string): readonly string[] {
  const lines = out.split('\n');
  const from = lines.findIndex((line) => line.startsWith('agents'));
  const to = lines.findIndex((line) => line.startsWith('project'));
  return lines.slice(from, to).map((line) => line.trimEnd());
}

function checkOf(out: string, id: string): HealthCheck & { readonly facts: unknown } {
  const found = JSON.parse(out).checks.find((check: HealthCheck) => check.id === id);
  expect(found, id).toBeDefined();
  return found;
}

test('the table has a line for each known agent, installed or not', async () => {
  const then = now - 3 * 86_400_000;
  const { year, month, day } = scriptedIo().local(then);
  const ago = [year, month, day].map((n) => String(n).padStart(2, '0')).join('-');
  const codex = seen('codex', {
    ...{ version: '0.171.0', at: then },
    signals: { ...all, cancel: 1, limits: 'door' },
  });
  const { value } = script([seen('claude'), codex], [], { env: { ANTHROPIC_API_KEY: 'k' } });
  const [head, claude, second, third, ...rest] = rows((await typed(['doctor'], value)).out);
  const words = [head, claude, second, third].map((line) => line?.split(/ {2,}/));
  const signals = ['tools', 'usage', 'limits', 'resume', 'cancel', 'last probe'];
  expect(words).toEqual([
    ['agents', 'version', 'login', 'driver', ...signals],
    ['', 'claude', '2.1.332', 'yes, key', 'json', 'yes', 'total', 'yes', 'yes', 'clean', 'today'],
    ['', 'codex', '0.171.0', 'unknown', 'json', 'yes', 'total', 'door*', 'yes', 'leaves 1*', ago],
    ['', 'opencode', 'not found'],
  ]);
  expect(rest.map((line) => line.trim())).toContain(
    '* tools outlive a cancel; pawl ends them itself',
  );
});

test('what was never probed is unknown and says how to probe it', async () => {
  const { value, probed } = script([]);
  const { out } = await typed(['doctor'], value);
  const [, , codex] = rows(out);
  expect(codex).toMatch(/codex .* – .*→ pawl doctor --probe codex$/);
  expect(probed).toEqual([]);
  const { out: json } = await typed(['doctor', '--json'], value);
  expect(checkOf(json, 'agents.codex')).toMatchObject({
    state: 'unknown',
    next: 'pawl doctor --probe codex',
    facts: { tools: 'unknown', cancel: 'unknown', driver: 'json', probed: null },
  });
});

test('a newer version makes what was seen stale, and nothing of it is shown', async () => {
  const { value } = script([seen('claude', { version: '2.1.300' })]);
  const { out } = await typed(['doctor'], value);
  expect(rows(out)[1]).toContain('–      –        –        –       –          today, of 2.1.300');
  expect(rows(out)[1]).toMatch(/stale .*→ pawl doctor --probe claude$/);
  const { out: json } = await typed(['doctor', '--json'], value);
  expect(checkOf(json, 'agents.claude')).toMatchObject({
    state: 'unknown',
    facts: { ...nothingSeen, probed: { version: '2.1.300', ok: true } },
  });
});

test('what was seen of a program that never tells its version is shown all the same', async () => {
  const { value } = script([seen('claude', { version: null })], [], {
    machine: { agents: [['claude', null, 'yes']] },
  });
  const { out } = await typed(['doctor'], value);
  expect(rows(out)[1]).toMatch(/ today( |$)/);
  expect(rows(out)[1]).not.toContain('stale');
});

test('--probe tries the named agent alone, and says that it costs nothing', async () => {
  const { value, probed } = script([]);
  const { out, err, exit } = await typed(['doctor', '--probe', 'claude'], value);
  expect([exit, probed]).toEqual([0, ['claude 2.1.332']]);
  expect(err).toContain('against a scripted server on this machine: it costs nothing');
  expect(err).toContain('claude: a limit …');
  expect(rows(out)[1]).toContain('today');
  const { out: json } = await typed(['doctor', '--json'], value);
  expect(checkOf(json, 'agents.claude')).toMatchObject({ state: 'ok', next: null, facts: all });
});

test('--probe alone tries each that is installed', async () => {
  const { value, probed } = script([]);
  await typed(['doctor', '--probe', '--quiet'], value);
  expect(probed).toEqual(['claude 2.1.332', 'codex 0.171.0']);
});

test('a probe that failed is a fault with its reason', async () => {
  const problems = ['the turn did not end: lane_died'];
  const failed = seen('claude', { ok: false, problems, signals: nothingSeen });
  const { value } = script([], [failed]);
  const { out, exit } = await typed(['doctor', '--probe', 'claude'], value);
  expect(exit).toBe(1);
  expect(rows(out)[1]).toContain('failed today');
  expect(rows(out)[2]).toContain('✗ the turn did not end: lane_died');
});

test('a signal that is missing is a warning that says what it means', async () => {
  const mute = seen('claude', { signals: { ...all, tools: 'no', resume: 'no' } });
  const { value } = script([mute]);
  const { out } = await typed(['doctor', '--json'], value);
  const { state, detail } = checkOf(out, 'agents.claude');
  expect(state).toBe('warn');
  expect(detail).toContain('a long one looks like silence');
  expect(detail).toContain('each turn starts anew');
});

test('a signal that was not seen is not called ok (L-O7)', async () => {
  for (const signal of Object.keys(all)) {
    const { value } = script([seen('claude', { signals: { ...all, [signal]: 'unknown' } })]);
    const { out } = await typed(['doctor', '--json'], value);
    expect(checkOf(out, 'agents.claude').state, signal).toBe('unknown');
  }
});

test('one that is not logged in is a warning that says how to', async () => {
  const machine = { agents: [['claude', '2.1.332', 'no']] as const };
  const { value } = script([seen('claude')], [], { machine });
  const { out } = await typed(['doctor', '--json'], value);
  expect(checkOf(out, 'agents.claude')).toMatchObject({ state: 'warn' });
  expect(checkOf(out, 'agents.claude').next).toMatch(/claude/);
});

test('Ctrl-C ends the probe that runs, and begins no other', async () => {
  const io = scriptedIo({ columns: 140 });
  const { value } = script([], [], { io });
  const begun: string[] = [];
  const probes = {
    last: async () => null,
    probe: async ({ agent, signal }: ProbeRequest) => {
      begun.push(agent);
      io.signal('SIGINT');
      expect(signal.aborted).toBe(true);
      return seen(agent);
    },
  };
  await typed(['doctor', '--probe', '--quiet'], { ...value, probes });
  expect(begun).toEqual(['claude']);
});

test('usage is metered where the calls of this project go through the models door', async () => {
  const file = 'roles: { execute: { agent: claude, login: key } }\n';
  const files = { '/home/me/dates/pawl.yaml': file };
  const { value } = script([seen('claude')], [], { io: scriptedIo({ files, columns: 140 }) });
  expect(rows((await typed(['doctor'], value)).out)[1]).toContain('metered');
});

test('an agent that is not installed is not found; an unknown name is refused', async () => {
  const { value, probed } = script([]);
  const missing = await typed(['doctor', '--probe', 'gemini'], value);
  expect(missing.exit).toBe(1);
  expect(missing.out).toMatch(/gemini +not found +→ npm i -g @google\/gemini-cli/);
  const { exit, err } = await typed(['doctor', '--probe', 'claud'], value);
  expect(exit).toBe(2);
  expect(err).toContain('pawl knows no agent "claud"');
  expect(err).toContain('claude, codex, opencode, gemini, pi, qwen, copilot');
  expect(err).toContain('pawl doctor --probe claude');
  const alone = await typed(['doctor', 'claude'], value);
  expect([alone.exit, alone.err]).toEqual([2, expect.stringContaining('doctor --probe claude')]);
  expect(probed).toEqual([]);
});

test('on a narrow terminal each agent is told in lines of its own', async () => {
  const { value } = script([seen('claude')], [], { terminal: { isTerminal: true, columns: 80 } });
  const lines = rows((await typed(['doctor'], value)).out);
  expect(lines[0]).toBe('agents     claude 2.1.332, login yes, json');
  expect(lines[1]).toBe('             tools yes, usage total, limits yes');
  expect(lines[2]).toBe('             resume yes, cancel clean, last probe today');
});

test('a program that did not say its version in time is told as that', async () => {
  const { value } = script([]);
  const slow = { agents: [['pi', null, 'unknown']] as const, notWithinMs: 10_000 };
  const { out } = await typed(['doctor'], { ...value, machine: slow });
  expect(out).toMatch(/pi +no answer in 10s/);
});
