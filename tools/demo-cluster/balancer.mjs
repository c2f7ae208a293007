/** Passes each connection on to the first server that takes it, as a balancer before them would. */
import { connect, createServer } from 'node:net';

export async function openBalancer(servers) {
  const open = new Set();
  const balancer = createServer((client) => {
    open.add(client);
    client.on('error', () => client.destroy()).on('close', () => open.delete(client));
    passOn(client, [...servers], open);
  });
  await new Promise((resolve, reject) => {
    balancer.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${balancer.address().port}`,
    standing: () =>
      servers
        .filter((one) => one.isAlive())
        .map(({ name }) => name)
        .join(', '),
    close: () =>
      new Promise((resolve) => {
        balancer.close(resolve);
        for (const one of open) one.destroy();
      }),
  };
}

function passOn(client, [next, ...rest], open) {
  if (next === undefined) {
    client.destroy();
    return;
  }
  if (!next.isAlive()) {
    passOn(client, rest, open);
    return;
  }
  const { hostname, port } = new URL(next.url);
  const server = connect(Number(port), hostname);
  open.add(server);
  let isTaken = false;
  server
    .once('connect', () => {
      isTaken = true;
      client.pipe(server).pipe(client);
    })
    .on('error', () => server.destroy())
    .on('close', () => {
      open.delete(server);
      if (isTaken) client.destroy();
      else passOn(client, rest, open);
    });
  client.once('close', () => server.destroy());
}
