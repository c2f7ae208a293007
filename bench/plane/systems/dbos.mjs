/**
 * DBOS as its package is used: a workflow whose steps return a text, in a process of its own on
 * the same PostgreSQL. Settings as shipped, but for what is named in `options`.
 */
import { DBOS } from '@dbos-inc/dbos-sdk';
import { clockMs } from '../clock.mjs';
import { walksById } from './walk.mjs';

const queue = 'bench';

export async function open(options, tell) {
  const walks = walksById(
    (n) => `${options.executor}-${process.pid}-${n}`,
    async (id) => {
      const handle = await DBOS.startWorkflow(steps, { workflowID: id })(id);
      await handle.getResult();
    },
  );
  const steps = DBOS.registerWorkflow(
    async (id) => {
      const { text, goesOn, stepped } = walks.of(id);
      while (goesOn()) {
        await DBOS.runStep(async () => text(), { name: 'step' });
        stepped();
      }
    },
    { name: 'steps' },
  );
  const note = DBOS.registerWorkflow(
    async (n) => {
      tell({ entered: n, at: clockMs() });
    },
    { name: 'note' },
  );
  const effect = DBOS.registerWorkflow(
    (key) =>
      DBOS.runStep(
        async () => {
          await fetch(options.witness, { method: 'POST', body: key });
          tell({ entered: key, at: clockMs() });
          if (options.stays) await new Promise(() => {});
        },
        { name: 'effect' },
      ),
    { name: 'effect' },
  );
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: options.url,
    runAdminServer: false,
    logLevel: 'error',
    executorID: options.executor,
    applicationVersion: 'bench',
    listenQueues: options.listens ? [queue] : [],
  });
  await DBOS.launch();
  if (options.pollMs !== undefined) {
    const onConflict = 'always_update';
    const polls = options.pollMs === null ? {} : { minPollingIntervalMs: options.pollMs };
    await DBOS.registerQueue(queue, { onConflict, ...polls });
  }
  return {
    verbs: {
      ...walks.verbs,
      send: async ({ n }) => {
        const from = clockMs();
        await DBOS.startWorkflow(note, { queueName: queue })(n);
        return { from, committed: clockMs() };
      },
      hold: async ({ keys }) => {
        for (const key of keys) await DBOS.startWorkflow(effect, { workflowID: key })(key);
      },
    },
  };
}
