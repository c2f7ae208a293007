import { expect, test } from 'vitest';
import { listening } from './serve-listen.ts';

const asked = { tlsCert: null, tlsKey: null, insecure: false, hosts: [] };

test.each([
  ['127.0.0.1:7295', { host: '127.0.0.1', port: 7295 }],
  ['[::1]:0', { host: '::1', port: 0 }],
  ['localhost:80', { host: 'localhost', port: 80 }],
] as const)('%s is this machine alone', async (listen, expected) => {
  expect(await listening({ ...asked, listen })).toMatchObject({ listen: expected, tls: null });
});

test.each(['7295', 'a b:1', '127.0.0.1:70000', '127.0.0.1', 'http://h:1'])(
  '%s is no address',
  async (listen) => {
    await expect(listening({ ...asked, listen })).rejects.toMatchObject({ code: 'bad_value' });
  },
);

test('what others can reach is encrypted, or said to be safe', async () => {
  const open = { ...asked, listen: '0.0.0.0:7295' };
  await expect(listening(open)).rejects.toMatchObject({ code: 'listen_insecure' });
  expect(await listening({ ...open, insecure: true })).toMatchObject({ tls: null });
  const half = listening({ ...open, tlsCert: 'cert.pem' });
  await expect(half).rejects.toMatchObject({ code: 'usage' });
  const missing = listening({ ...open, tlsCert: '/nowhere/c.pem', tlsKey: '/nowhere/k.pem' });
  await expect(missing).rejects.toMatchObject({ code: 'bad_value' });
});
