/** pi, by its headless JSON stream (research/agent-clis.md). */
import type { Adapter } from '../../ports/agent.ts';
import { jsonTalk } from '../drivers/json/talk.ts';
import { argvOf, envOf, seedsOf } from './launch.ts';
import { piTranscript } from './transcript.ts';

export const piAdapter: Adapter = {
  name: 'pi',
  version: '1',
  launch: (setting) => ({
    argv: argvOf(setting),
    env: envOf(setting),
    stdin: setting.dispatch.prompt,
    seeds: seedsOf(setting),
    talk: jsonTalk(piTranscript),
  }),
};
