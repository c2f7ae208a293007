/** Codex, by its headless JSON stream (research/agent-clis.md). */
import type { Adapter } from '../../ports/agent.ts';
import { jsonTalk } from '../drivers/json/talk.ts';
import { argvOf, envOf, seedsOf } from './launch.ts';
import { codexTranscript, sessionOf } from './transcript.ts';

export const codexAdapter: Adapter = {
  name: 'codex',
  version: '1',
  launch(setting) {
    const { sessionId, prompt } = setting.dispatch;
    const session = sessionId === null ? null : sessionOf(sessionId);
    return {
      argv: argvOf(setting, session),
      env: envOf(setting),
      stdin: prompt,
      seeds: seedsOf(setting),
      talk: jsonTalk(codexTranscript(session)),
    };
  },
};
