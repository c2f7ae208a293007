/** What a fault needs before its run begins, and the run, at work. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { FailureName } from '../../src/testing/model-server/failures.ts';
import { modelWorld } from '../liveness/model.ts';
import { clockedPrograms, setClock } from '../support/clocked-programs.ts';
import { pawl } from '../support/pawl.ts';
import { mount, unmount } from '../support/small-disk.ts';
import { watchedProject } from '../support/watched-project.ts';
import { atWork, letEnd, pageOf, type Stage, startRun, watch } from './stage.ts';

/** What is not as it is for every run. */
export interface Setting {
  /** Lines of its definition. */
  readonly file?: string;
  /** Its agent speaks ACP, alone or behind a model. */
  readonly agent?: 'spoken' | 'asks a model';
  /** Its programs have a wall clock that can be set. */
  readonly hasOwnClock?: true;
  /** Its state lies on a disk that is so small that it can be filled. */
  readonly hasSmallDisk?: true;
}

export interface OpenStage extends Stage {
  close(): Promise<void>;
}

const spoken = fileURLToPath(new URL('spoken-agent.mjs', import.meta.url));

export async function openStage(setting: Setting): Promise<OpenStage> {
  const programs = setting.hasOwnClock === true ? clockedPrograms() : null;
  const own = pawl(programs === null ? {} : { program: programs.program });
  if (programs !== null) setClock(own.root, { wallMs: 0 });
  if (setting.hasSmallDisk === true && !mount(own.home)) throw new Error('nothing was mounted');
  const work = watchedProject(own.root);
  const failing: { by: FailureName | null; left: number } = { by: null, left: 0 };
  const model = await modelWorld(() => {
    const { by, left } = failing;
    failing.left -= 1;
    if (by === null || left <= 0) return { text: 'go on' };
    return { text: 'half of it and no more', fails: { by, resetsInSeconds: limitS } };
  });
  const stage: Stage = {
    ...{ own, work },
    page: () => pageOf((line) => own.run(line, { cwd: work.directory })),
    found: (word) => own.processes().filter(({ command }) => command.includes(word)),
    models: (by, times = Number.POSITIVE_INFINITY) => {
      Object.assign(failing, { by, left: times });
    },
    setClock: (wallMs) => setClock(own.root, { wallMs }),
  };
  const isSpoken = setting.agent !== undefined;
  if (isSpoken) copyFileSync(spoken, work.agent);
  const acp = `[node, "${work.agent}", "${work.witness}", "${work.hold}"]`;
  const file = [
    'version: 1',
    ...(isSpoken ? [`agents: { mine: { acp: ${acp} } }`] : []),
    ...(setting.agent === 'asks a model'
      ? [
          'roles: { execute: { agent: mine, login: key } }',
          `secrets: { OPENAI_API_KEY: "file:${model.key}" }`,
          `env: { set: { OPENAI_BASE_URL: "${model.url}/v1" } }`,
        ]
      : []),
    setting.file ?? '',
  ];
  writeFileSync(join(work.directory, 'pawl.yaml'), `${file.join('\n')}\n`);
  const close = async () => {
    letEnd(stage);
    await own.run(['cancel', 'one', '--now', '--yes'], { cwd: work.directory });
    await model.close();
    if (setting.hasSmallDisk === true) unmount(own.home);
    await own.close();
    programs?.remove();
  };
  try {
    await startRun(stage, isSpoken ? ['--agent', 'mine'] : undefined);
    await atWork(stage);
    const isShown = await watch(
      stage,
      ({ run }) => run.liveness?.state.startsWith('working') === true,
    );
    expect(isShown, 'it is shown at work').not.toBeNull();
  } catch (error: unknown) {
    await close();
    throw error;
  }
  return { ...stage, close };
}

/** Longer than an agent is left to wait for it by itself. */
const limitS = 65;
