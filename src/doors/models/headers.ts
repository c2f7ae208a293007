/**
 * Which headers pass, in either direction, by allow rules towards the service: what is not named
 * stays here, so no credential, cookie or address of this machine leaves by a header that nobody
 * thought of.
 */

export type HeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>;

const requestNames = new Set([
  'accept',
  'accept-language',
  'content-type',
  'conversation_id',
  'conversation-id',
  'http-referer',
  'idempotency-key',
  'openai-beta',
  'originator',
  'session_id',
  'session-id',
  'user-agent',
  'version',
  'x-app',
  'x-client-request-id',
  'x-goog-api-client',
  'x-goog-request-params',
  'x-initiator',
  'x-title',
]);
const requestPrefixes = [
  'anthropic-',
  'x-stainless-',
  'x-codex-',
  'x-claude-code-',
  'x-dashscope-',
];
/** Tells the path of the checkout and the commit to the service; nothing needs it. */
const requestRefused = new Set(['x-codex-turn-metadata']);
/** The lane's own authorisation, passed on unread in mode `pass` alone. */
const ownCredentials = [
  'api-key',
  'authorization',
  'chatgpt-account-id',
  'x-api-key',
  'x-goog-api-key',
];

export interface RequestHeaders {
  readonly inbound: HeaderMap;
  /** Set in mode `inject`; null: the lane's own are passed on. */
  readonly credential: { readonly name: string; readonly value: string } | null;
  readonly bodyBytes: number | null;
}

/** What is sent to the service. Identity encoding, so that its bytes can be read on their way. */
export function towardsService(request: RequestHeaders): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.inbound)) {
    const may = mayPass(name) || (request.credential === null && ownCredentials.includes(name));
    if (may && value !== undefined)
      sent[name] = typeof value === 'string' ? value : value.join(', ');
  }
  sent['accept-encoding'] = 'identity';
  if (request.bodyBytes !== null) sent['content-length'] = String(request.bodyBytes);
  if (request.credential !== null) sent[request.credential.name] = request.credential.value;
  return sent;
}

function mayPass(name: string): boolean {
  if (requestRefused.has(name)) return false;
  return requestNames.has(name) || requestPrefixes.some((prefix) => name.startsWith(prefix));
}

/** Of one hop, or about the account behind the key. */
const answerRefused = new Set([
  'alt-svc',
  'anthropic-organization-id',
  'connection',
  'keep-alive',
  'openai-organization',
  'openai-project',
  'proxy-authenticate',
  'proxy-connection',
  'set-cookie',
  'set-cookie2',
  'strict-transport-security',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]);

/** What is sent to the lane: everything else, unless a value holds the credential. */
export function towardsLane(
  answer: HeaderMap,
  credential: string | null,
): Record<string, string | string[]> {
  const sent: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined || answerRefused.has(name)) continue;
    const values = typeof value === 'string' ? [value] : [...value];
    if (credential !== null && values.some((one) => one.includes(credential))) continue;
    sent[name] = typeof value === 'string' ? value : values;
  }
  return sent;
}

/** The header that each vendor reads its key from. */
export function credentialHeader(
  vendor: 'anthropic' | 'openai' | 'google',
  key: string,
): { readonly name: string; readonly value: string } {
  if (vendor === 'anthropic') return { name: 'x-api-key', value: key };
  if (vendor === 'google') return { name: 'x-goog-api-key', value: key };
  return { name: 'authorization', value: `Bearer ${key}` };
}
