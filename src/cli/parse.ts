/**
 * Flags and arguments by declaration. A flag that is not declared is an error with the nearest one
 * (never help and exit 0), and a flag of the specification that nothing honours yet is refused by
 * name. Built on `node:util`; no dependency, since `status` must start fast.
 */
import { parseArgs } from 'node:util';
import { parseDuration } from '../contract/duration.ts';
import { nearest } from '../contract/nearest.ts';
import { RequestError } from '../kernel/errors.ts';

export interface FlagSpec {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  readonly kind: 'switch' | 'value' | 'list';
  readonly value?: string;
  readonly says: string;
  /** Honoured by nothing yet: why, in one sentence. Refused by name, and in no help. */
  readonly later?: string;
  readonly oneOf?: readonly string[];
}

export interface ArgumentSpec {
  readonly usage: string;
  /** What may follow, where the usage does not list it. */
  readonly words?: readonly string[];
  readonly min: number;
  readonly max: number;
  /** Whether `-- words` may follow. */
  readonly rest?: true;
}

export interface Arguments {
  readonly words: readonly string[];
  /** After `--`. */
  readonly rest: readonly string[];
  has(name: string): boolean;
  text(name: string): string | null;
  list(name: string): readonly string[];
  /** @throws RequestError unless a whole number of at least `min`. */
  whole(name: string, min: number, max?: number): number | null;
  decimal(name: string): number | null;
  durationMs(name: string): number | null;
}

export const globalFlags: readonly FlagSpec[] = [
  {
    name: 'project',
    short: 'C',
    kind: 'value',
    value: 'dir',
    says: 'work as if started in this folder',
  },
  { name: 'all-projects', short: 'A', kind: 'switch', says: 'runs of every project' },
  { name: 'server', kind: 'value', value: 'url', says: 'ask this server (PAWL_SERVER)' },
  { name: 'json', kind: 'switch', says: 'one object, or one per line, on success and on failure' },
  { name: 'quiet', short: 'q', kind: 'switch', says: 'results only' },
  { name: 'verbose', short: 'v', kind: 'switch', says: 'causes of errors too' },
  {
    name: 'color',
    kind: 'value',
    value: 'when',
    says: 'colours and signs of a terminal (auto)',
    oneOf: ['auto', 'always', 'never'],
  },
  { name: 'no-input', kind: 'switch', says: 'never ask' },
  { name: 'yes', short: 'y', kind: 'switch', says: 'take every offered default' },
  { name: 'help', short: 'h', kind: 'switch', says: 'what this command does' },
  { name: 'version', short: 'V', kind: 'switch', says: 'the version' },
];

/** Of a command: those of its own, and those of every command that it does not say anew. */
export const flagsOf = (own: readonly FlagSpec[]): readonly FlagSpec[] => [
  ...own,
  ...globalFlags.filter(({ name }) => !own.some((flag) => flag.name === name)),
];

interface Found {
  readonly words: string[];
  readonly rest: string[];
  readonly flags: Map<string, string[]>;
}

/** @throws RequestError `unknown_flag`, `not_supported`, `usage`. */
export function parse(
  command: string,
  argv: readonly string[],
  own: readonly FlagSpec[],
): Arguments {
  const specs = flagsOf(own);
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(specs.map(optionOf)),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const found: Found = { words: [], rest: [], flags: new Map() };
  const end = tokens.find((token) => token.kind === 'option-terminator')?.index ?? tokens.length;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      (token.index > end ? found.rest : found.words).push(token.value);
    } else if (token.kind === 'option') takeFlag(command, specs, token, found);
  }
  return argumentsOf(found);
}

interface NodeOption {
  readonly type: 'string' | 'boolean';
  readonly multiple: true;
  readonly short?: string;
}
function optionOf({ name, short, kind }: FlagSpec): [string, NodeOption] {
  const type = kind === 'switch' ? 'boolean' : 'string';
  return [name, { type, multiple: true, ...(short === undefined ? {} : { short }) }];
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
}

function takeFlag(
  command: string,
  specs: readonly FlagSpec[],
  token: OptionToken,
  found: Found,
): void {
  const spec = specs.find(({ name }) => name === token.name);
  if (spec === undefined) throw unknownFlag(command, specs, token.rawName);
  if (spec.later !== undefined) {
    throw new RequestError(
      'not_supported',
      `${token.rawName} is not supported yet: ${spec.later}`,
      {
        next: `leave it out   ·   pawl ${command} --help`,
      },
    );
  }
  const value = givenValue(command, spec, token.value);
  const before = found.flags.get(spec.name) ?? [];
  if (spec.kind === 'value' && before.length > 0) {
    throw usage(command, `--${spec.name} is given twice`);
  }
  found.flags.set(spec.name, [...before, value]);
}

function givenValue(command: string, spec: FlagSpec, value: string | undefined): string {
  if (spec.kind === 'switch') {
    if (value === undefined) return '';
    throw usage(command, `--${spec.name} takes no value`);
  }
  if (value === undefined) {
    throw usage(command, `--${spec.name} needs a value: --${spec.name} <${spec.value ?? 'value'}>`);
  }
  if (spec.oneOf === undefined || spec.oneOf.includes(value)) return value;
  throw new RequestError('bad_value', `"${value}" is not a value of --${spec.name}`, {
    where: `--${spec.name}`,
    allowed: spec.oneOf.join(', '),
  });
}

function unknownFlag(command: string, specs: readonly FlagSpec[], raw: string): RequestError {
  const typed = raw.replace(/^-+/, '');
  const near = nearest(
    typed,
    specs.map(({ name }) => name),
  );
  return new RequestError('unknown_flag', `${raw} is not a flag of pawl ${command}`, {
    next: `${near === null ? '' : `did you mean --${near}?   `}pawl ${command} --help`,
  });
}

export function usage(command: string, what: string): RequestError {
  return new RequestError('usage', what, { next: `pawl ${command} --help` });
}

function argumentsOf({ words, rest, flags }: Found): Arguments {
  const text = (name: string): string | null => flags.get(name)?.[0] ?? null;
  const checked = <T>(name: string, read: (value: string) => T | null, form: string): T | null => {
    const value = text(name);
    if (value === null) return null;
    const result = read(value);
    if (result !== null) return result;
    throw new RequestError('bad_value', `"${value}" is not ${form}`, { where: `--${name}` });
  };
  return {
    words,
    rest,
    text,
    has: (name) => flags.has(name),
    list: (name) => flags.get(name) ?? [],
    whole: (name, min, max = Number.MAX_SAFE_INTEGER) => {
      const form = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
      return checked(name, (value) => wholeOf(value, min, max), `a whole number ${form}`);
    },
    decimal: (name) => checked(name, decimalOf, 'an amount like 5, +5 or $5'),
    durationMs: (name) =>
      checked(
        name,
        (value) => parseDuration(value.replace(/^\+/, '')),
        'a span like 90s, 15m or 8h',
      ),
  };
}

function wholeOf(value: string, min: number, max: number): number | null {
  if (!/^\+?\d{1,15}$/.test(value)) return null;
  const n = Number(value);
  return n >= min && n <= max ? n : null;
}
function decimalOf(value: string): number | null {
  const match = /^\+?\$?(\d{1,9}(?:\.\d{1,6})?)$/.exec(value);
  return match === null ? null : Number(match[1]);
}
