/** Results of probes, a file for each agent: they hold until its program is another version. */
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '../../host/durable-file.ts';
import { type Fields, fieldsOf, isFields, parsedJson } from '../../kernel/json.ts';
import type { AgentSignals, Probed } from '../../ports/agent-probe.ts';
import { orNull } from '../or-null.ts';

const formVersion = 1;

const pathOf = (home: string, agent: string): string => join(home, 'probes', `${agent}.json`);

export function keepProbed(home: string, probed: Probed): void {
  mkdirSync(join(home, 'probes'), { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ formVersion, ...probed }, null, 2);
  writeDurably(pathOf(home, probed.agent), `${text}\n`);
}

/** Null for what was kept in another form, or is damaged: it is as good as never probed. */
export async function lastProbed(home: string, agent: string): Promise<Probed | null> {
  const text = await orNull(readFile(pathOf(home, agent), 'utf8'));
  const kept = fieldsOf(parsedJson(text ?? ''));
  return isProbed(kept) && kept.agent === agent ? unversioned(kept) : null;
}

function unversioned({ agent, version, at, ok, problems, signals }: Probed): Probed {
  return { agent, version, at, ok, problems, signals };
}

const seen = ['yes', 'no', 'unknown'];
const words: Readonly<Record<Exclude<keyof AgentSignals, 'cancel'>, readonly string[]>> = {
  tools: seen,
  servers: seen,
  metered: seen,
  resume: seen,
  usage: ['total', 'partial', 'none', 'unknown'],
  limits: ['yes', 'door', 'no', 'unknown'],
};

function isProbed(value: Fields): value is Fields & Probed {
  const { agent, version, at, ok, problems, signals } = value;
  return (
    value['formVersion'] === formVersion &&
    typeof agent === 'string' &&
    (version === null || typeof version === 'string') &&
    Number.isSafeInteger(at) &&
    typeof ok === 'boolean' &&
    Array.isArray(problems) &&
    problems.every((one) => typeof one === 'string') &&
    isSignals(signals)
  );
}

function isSignals(given: unknown): boolean {
  if (!isFields(given)) return false;
  const { cancel } = given;
  const isCount = typeof cancel === 'number' && Number.isSafeInteger(cancel) && cancel >= 0;
  const isWord = ([name, allowed]: [string, readonly string[]]): boolean =>
    allowed.some((word) => word === given[name]);
  return (isCount || cancel === 'unknown') && Object.entries(words).every(isWord);
}
