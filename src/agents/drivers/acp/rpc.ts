/**
 * JSON-RPC 2.0, one message a line, as far as ACP needs it. Nothing that a program prints throws:
 * what is no message is null, and its fields are read as unknown until they are looked at.
 */
import { type Fields, fieldsOf, isFields, parsedJson } from '../../../kernel/json.ts';

export type RpcId = string | number;

export interface RpcError {
  readonly code: number | null;
  readonly message: string;
  readonly data: unknown;
}

export type RpcMessage =
  | {
      readonly kind: 'request';
      readonly id: RpcId;
      readonly method: string;
      readonly params: Fields;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Fields }
  | { readonly kind: 'result'; readonly id: RpcId; readonly result: Fields }
  | { readonly kind: 'error'; readonly id: RpcId; readonly error: RpcError };

export const methodNotFound = -32601;

/** Null for everything that is not one message of this protocol. */
export function readMessage(line: string): RpcMessage | null {
  const value = parsedJson(line);
  if (!isFields(value)) return null;
  const { id, method } = value;
  if (typeof method === 'string') {
    const params = fieldsOf(value['params']);
    if (isId(id)) return { kind: 'request', id, method, params };
    return { kind: 'notification', method, params };
  }
  if (!isId(id)) return null;
  if (isFields(value['error'])) return { kind: 'error', id, error: errorOf(value['error']) };
  // Null is a result, too: ACP answers some requests with it.
  return 'result' in value ? { kind: 'result', id, result: fieldsOf(value['result']) } : null;
}

function errorOf({ code, message, data }: Fields): RpcError {
  return {
    code: typeof code === 'number' ? code : null,
    message: typeof message === 'string' ? message : 'an error without a message',
    data,
  };
}

export function requestLine(id: RpcId, method: string, params: Fields): string {
  return line({ id, method, params });
}

export function notificationLine(method: string, params: Fields): string {
  return line({ method, params });
}

export function resultLine(id: RpcId, result: Fields): string {
  return line({ id, result });
}

export function errorLine(id: RpcId, code: number, message: string): string {
  return line({ id, error: { code, message } });
}

const line = (message: Fields): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

const isId = (value: unknown): value is RpcId =>
  typeof value === 'string' || typeof value === 'number';
