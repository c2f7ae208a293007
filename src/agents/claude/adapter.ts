/** Claude Code, by its headless JSON stream (research/agent-clis.md). */
import type { Adapter } from '../../ports/agent.ts';
import { jsonTalk } from '../drivers/json/talk.ts';
import { argvOf, envOf, modeOf, seedsOf } from './launch.ts';
import { claudeSpeech } from './speech.ts';
import { claudeTranscript } from './transcript.ts';

export const claudeAdapter: Adapter = {
  name: 'claude',
  version: '1',
  launch(setting) {
    const argv = argvOf(setting);
    const speech = claudeSpeech(setting.dispatch.prompt);
    const transcript = claudeTranscript(modeOf(setting), argv.includes('--resume'), speech);
    return {
      argv,
      env: envOf(setting),
      stdin: null,
      seeds: seedsOf(setting),
      modelTimeoutMs: 360_000,
      talk: jsonTalk(transcript),
    };
  },
};
