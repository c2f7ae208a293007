/** C11 and C12: what a turn leaves behind, and whom it asked. */
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join, relative } from 'node:path';
import type { Clause } from './clause.ts';
import { bytesIn, filesIn } from './files-in.ts';
import type { SeenTurn } from './lanes.ts';
import { artifact } from './lines.ts';
import { isOver } from './outcome.ts';
import { running, type Scene, type Trial } from './trial.ts';

const needs = ['C0', 'C2'] as const;

export const tracesClause: Clause = {
  id: 'C11',
  title: 'nothing of ours in the tree, no request past the door',
  needs,
  async check(trial) {
    const { conversation, turn } = await trial.first();
    const files = filesIn(conversation.tree);
    const names = files.map((path) => relative(conversation.tree, path));
    const holds = (paths: readonly string[]) =>
      paths.filter((path) => trial.lanes.operator.secrets.some((s) => bytesIn(path)?.includes(s)));
    return [
      ...names.filter((name) => name !== artifact.write).map((name) => `${name} lies in the tree`),
      ...holds([...files, ...filesIn(conversation.home)]).map((path) => `a secret is in ${path}`),
      ...(turn.asked ?? [])
        .filter((name) => !isKnown(trial, name))
        .map((name) => `it asked ${name}, past the door`),
    ];
  },
};

function isKnown({ profile, today }: Trial, name: string): boolean {
  const known = profile.outside?.[name];
  return known !== undefined && !isOver(known, today);
}

export const goneClause: Clause = {
  id: 'C12',
  title: 'whole tree gone after cancel, kill and normal end',
  needs,
  async check(trial) {
    const ends = [
      ['its normal end', await trial.first()],
      ['cancel', await trial.interrupted('cancel')],
      ['kill', await trial.interrupted('kill')],
    ] as const;
    const left = await Promise.all(ends.map(([when, scene]) => leftOf(when, scene)));
    return [...left.flat(), ...(await unlike(trial))];
  },
};

async function leftOf(when: string, { turn }: Scene): Promise<readonly string[]> {
  const doors = [...new Set(Object.values(turn.started?.env ?? {}).flatMap(doorPort))];
  const open = await Promise.all(doors.map(async (port) => ((await listens(port)) ? [port] : [])));
  return [
    ...turn.alive.map((line) => `after ${when} there lives ${line}`),
    ...open.flat().map((port) => `after ${when} port ${port} is open`),
  ];
}

/** The host must have seen what was done to the lane: a cancel is one, and a kill is a death. */
async function unlike(trial: Trial): Promise<readonly string[]> {
  const scenes = [await trial.interrupted('cancel'), await trial.interrupted('kill')] as const;
  // Then nothing was cancelled or killed, and it ended for reasons of its own.
  if (scenes.some((scene) => !ranItsTool(scene))) return ['it never ran the tool of this scene'];
  const [cancelled, killed] = [scenes[0].turn, scenes[1].turn];
  return [
    ...(cancelled.exit === 'cancelled' ? [] : [`a cancel ended as ${cancelled.exit}`]),
    ...(isDeath(killed) ? [] : [`a kill was taken for ${killed.end?.outcome ?? killed.exit}`]),
  ];
}

function ranItsTool({ conversation }: Scene): boolean {
  return existsSync(join(conversation.tree, running));
}

function isDeath({ result }: SeenTurn): boolean {
  return result?.kind === 'failed';
}

function doorPort(value: string): readonly number[] {
  const found = /^http:\/\/127\.0\.0\.1:(\d+)\/x\//.exec(value)?.[1];
  return found === undefined ? [] : [Number(found)];
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
