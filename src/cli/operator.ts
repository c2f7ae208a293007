/** `pawl operator`: tokens by which scripts and chat bots pass gates for a human (UX 0.4). */
import { RequestError } from '../kernel/errors.ts';
import { type TokenVerb, tokenVerbs } from '../kernel/token-verbs.ts';
import type { OperatorToken } from '../ports/operator-tokens.ts';
import type { Instant } from '../ports/words.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { clock, iso } from './format.ts';
import { usage } from './parse.ts';
import { humanRequired } from './principal.ts';
import { storePlace } from './store-place.ts';
import { table } from './views/page.ts';

const defaultMs = 8 * 3_600_000;
const longestMs = 30 * 24 * 3_600_000;

export const command: Command = {
  name: 'operator',
  summary: 'Make, list and revoke tokens that pass gates for you.',
  arguments: { usage: 'token | list | revoke <id>', min: 1, max: 2 },
  flags: [
    { name: 'for', kind: 'value', value: 'span', says: 'valid this long (8h; at most 30d)' },
    { name: 'scope', kind: 'value', value: 'verbs', says: 'verbs, with commas (every gate verb)' },
  ],
  examples: ['pawl operator token --for 8h --scope approve,reject', 'pawl operator list'],
  run,
};

async function run(context: Context): Promise<number> {
  const [verb, id, ...more] = context.given.words;
  if (verb === 'token' && id === undefined) return token(context);
  if (verb === 'list' && id === undefined) return list(context);
  if (verb === 'revoke' && id !== undefined && more.length === 0) return revoke(context, id);
  throw usage('operator', `usage: pawl operator ${command.arguments.usage}`);
}

/** A token makes no tokens: only who sits at a terminal does. */
async function token(context: Context): Promise<number> {
  const { given, io, called, options } = context;
  const scope = scopeOf(given.text('scope'));
  const forMs = given.durationMs('for') ?? defaultMs;
  if (forMs <= 0 || forMs > longestMs) {
    throw new RequestError('bad_value', 'a token is valid for up to 30d', { where: '--for' });
  }
  const line = `${called} operator token`;
  const principal = await context.human('operator token', null, line);
  if (principal.channel !== 'terminal') {
    throw humanRequired('operator token', 'an operator token, not a terminal', line);
  }
  const tokens = await options.operatorTokens();
  const now = io.now() as Instant;
  const made = await tokens.create({ by: principal.actor, scope, forMs, now });
  answer(
    context,
    [
      made.secret,
      `valid until ${clock(io, made.token.expiresAt)} for ${scope.join(', ')}; it is not shown again`,
      `next       export PAWL_OPERATOR_TOKEN=…   where your script runs, never where an agent does`,
      `           ${called} operator revoke ${made.token.id}`,
    ],
    { schema: 'pawl.operator/1', ...jsonOf(made.token), secret: made.secret },
  );
  return exits.done;
}

function scopeOf(text: string | null): readonly TokenVerb[] {
  if (text === null) return tokenVerbs;
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const unknown = words.find((word) => !tokenVerbs.some((verb) => verb === word));
  if (words.length === 0 || unknown !== undefined) {
    throw new RequestError('bad_value', `"${unknown ?? text}" is no verb of a scope`, {
      where: '--scope',
      allowed: tokenVerbs.join(', '),
    });
  }
  return tokenVerbs.filter((verb) => words.includes(verb));
}

async function list(context: Context): Promise<number> {
  const { io, options } = context;
  const tokens = await (await options.operatorTokens()).list(io.now() as Instant);
  const rows = tokens.map(({ id, by, scope, expiresAt }) => [
    id,
    `by ${by}`,
    `until ${clock(io, expiresAt)}`,
    scope.join(', '),
  ]);
  const lines =
    rows.length === 0
      ? [`no token is valid in ${await storePlace(context)}.`]
      : table(rows, context.style.columns);
  answer(context, lines, { schema: 'pawl.operators/1', tokens: tokens.map(jsonOf) });
  return exits.done;
}

/** Whoever may run this may take a right away; nobody is given one. */
async function revoke(context: Context, id: string): Promise<number> {
  const tokens = await context.options.operatorTokens();
  if (!(await tokens.revoke(id))) {
    throw new RequestError('bad_value', `there is no token ${id}`, {
      next: `${context.called} operator list`,
    });
  }
  answer(context, [`✓ revoked ${id}`], { schema: 'pawl.operator/1', id, revoked: true });
  return exits.done;
}

const jsonOf = ({ id, by, scope, createdAt, expiresAt }: OperatorToken) => ({
  id,
  by,
  scope,
  createdAt: iso(createdAt),
  expiresAt: iso(expiresAt),
});
