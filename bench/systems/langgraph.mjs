/**
 * LangGraph.js with its SQLite saver: a graph of one node that replaces 1 KB of state, checkpointed
 * after every step. `durability: sync` and `synchronous=FULL` make its steps as durable as the
 * others'; as shipped neither is set.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';

const body = 'x'.repeat(1000);

export async function open(directory) {
  const file = join(directory, 'langgraph.db');
  const saver = SqliteSaver.fromConnString(file);
  saver.setup();
  saver.db.pragma('journal_mode = WAL');
  saver.db.pragma('synchronous = FULL');
  const state = Annotation.Root({ n: Annotation(), until: Annotation(), body: Annotation() });
  let entered = () => {};
  const hooks = new Map();
  const graph = new StateGraph(state)
    .addNode('step', ({ n }, config) => {
      hooks.get(config.configurable.thread_id)?.();
      entered();
      return { n: n + 1, body: body.slice(0, 990) + n };
    })
    .addEdge(START, 'step')
    .addConditionalEdges('step', ({ n, until }) => (n < until ? 'step' : END))
    .compile({ checkpointer: saver });
  const config = (run, steps) => ({
    configurable: { thread_id: run },
    recursionLimit: steps + 10,
    durability: 'sync',
  });
  let pinned = false;
  return {
    begin: async (run) => run,
    /** A step ends where the next begins, so the first entry is not counted and one is added. */
    walk: async (run, steps, each) => {
      let entries = 0;
      hooks.set(run, () => {
        entries += 1;
        if (entries > 1) each();
      });
      await graph.invoke({ n: 0, until: steps + 1, body }, config(run, steps));
      hooks.delete(run);
    },
    reenter: async (run, steps) => {
      const body = new Promise((resolve) => {
        entered = resolve;
      });
      await Promise.race([body, graph.invoke(null, config(run, steps))]);
    },
    pin: async () => {
      pinned = true;
      saver.db.pragma('wal_autocheckpoint = 0');
    },
    sizes: async () => ({
      stored: Number(saver.db.pragma('page_count', { simple: true })) * 4096,
      log: pinned ? statSync(`${file}-wal`).size : 0,
    }),
  };
}
