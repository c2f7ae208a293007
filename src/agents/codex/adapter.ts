/** Codex, by its headless JSON stream (research/agent-clis.md). */
import type { Adapter } from '../../ports/agent.ts';
import { jsonTalk } from '../drivers/json/talk.ts';
import { noCounts } from './counts.ts';
import { argvOf, envOf, homeOf, seedsOf } from './launch.ts';
import { sessionOf } from './session.ts';
import { codexTranscript } from './transcript.ts';

export const codexAdapter: Adapter = {
  name: 'codex',
  version: '1',
  launch(setting) {
    const session = sessionOf(setting, homeOf(setting));
    return {
      argv: argvOf(setting, session),
      env: envOf(setting),
      stdin: setting.dispatch.prompt,
      seeds: seedsOf(setting),
      talk: jsonTalk(codexTranscript(session?.before ?? noCounts)),
    };
  },
};
