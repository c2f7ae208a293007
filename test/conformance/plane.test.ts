import { planeServer, startedRun } from '../support/plane-server.ts';
import { planeSuite } from './plane.suite.ts';

planeSuite('the plane in this process', async () => {
  const server = await planeServer();
  return {
    ...{ here: server.here, plane: server.local, worker: 'here' },
    start: () => startedRun(server),
    close: server.close,
  };
});

planeSuite('the plane over HTTP', async () => {
  const server = await planeServer();
  const { id, plane } = await server.worker();
  return {
    ...{ here: server.here, plane, worker: id },
    start: () => startedRun(server),
    close: server.close,
  };
});
