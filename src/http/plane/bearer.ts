import type { FastifyRequest } from 'fastify';
import { PlaneRefusal } from './refusal.ts';

/** What else it may be is not told: a token has this form, or there is none. */
export function bearerOf(request: FastifyRequest): string {
  const [, token] = /^Bearer ([\w.-]{1,8192})$/.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined) throw new PlaneRefusal('token.missing');
  return token;
}
