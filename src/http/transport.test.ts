import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { WorldError } from '../kernel/errors.ts';
import { fieldsOf } from '../kernel/json.ts';
import { type Sent, transport } from './transport.ts';

let server: Server | null = null;
afterEach(() => {
  server?.close();
  server = null;
});

async function listening(made: Server): Promise<string> {
  server = made;
  await new Promise<void>((done) => made.listen(0, '127.0.0.1', done));
  return `127.0.0.1:${String(fieldsOf(made.address())['port'])}`;
}

const post: Sent = { method: 'POST', path: '/v1/runs', body: {}, isLong: false };
const secret = async () => 's';

test('a command that never reached a server is said to be undone', async () => {
  const at = await listening(createServer());
  server?.close();
  const refused = transport({ url: `http://${at}`, secret }).send(post);
  await expect(refused).rejects.toMatchObject({ code: 'server_unreachable' });
});

test('a token that cannot be sent is named, and nothing was asked', async () => {
  const at = await listening(createServer((_request, response) => void response.end()));
  const refused = transport({ url: `http://${at}`, secret: async () => 'two\nlines' }).send(post);
  await expect(refused).rejects.toMatchObject({
    ...{ code: 'server_unreachable', message: expect.stringContaining('the token') },
    details: { next: expect.stringContaining('PAWL_OPERATOR_TOKEN') },
  });
});

test('nor did it reach one that speaks no TLS, whatever the error is called', async () => {
  const at = await listening(createServer((_request, response) => void response.end()));
  const refused = transport({ url: `https://${at}`, secret }).send(post);
  await expect(refused).rejects.toMatchObject({
    ...{ code: 'server_unreachable', details: { next: expect.stringContaining('http://') } },
  });
});

test('one whose connection broke before the answer may have been done', async () => {
  const at = await listening(createServer(({ socket }) => void socket.destroy()));
  const broken = transport({ url: `http://${at}`, secret }).send(post);
  await expect(broken).rejects.toMatchObject({ code: 'outcome_unknown' });
});

test('a token that cannot be made is told as that, and nothing is sent', async () => {
  let asked = 0;
  const at = await listening(
    createServer((_request, response) => {
      asked += 1;
      response.end();
    }),
  );
  const full = async () => {
    throw new WorldError('disk_full', 'no space');
  };
  const failed = transport({ url: `http://${at}`, secret: full }).send(post);
  await expect(failed).rejects.toMatchObject({ code: 'disk_full' });
  expect(asked).toBe(0);
});
