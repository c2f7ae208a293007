/** C5, C9 and C10: what more than one turn shows, and a tool that takes its time. */
import type { Clause } from './clause.ts';
import { howItEnded, stringsIn } from './early-clauses.ts';
import { answer, artifact, askPrompt, bigPrompt, lateText, question } from './lines.ts';
import { mainRequests, type Scene } from './trial.ts';
import { notCompleted, toolWords } from './turn-clauses.ts';

const needs = ['C0', 'C2', 'C8'] as const;

export const questionClause: Clause = {
  id: 'C5',
  title: 'multi-turn with a question in between',
  needs,
  async check(trial) {
    const asking = await trial.asking();
    const { end, result } = asking.turn;
    if (end?.outcome !== 'question') {
      return [`its question ended as: ${howItEnded(asking)}; ${toolWords(asking)}`];
    }
    if (end.text?.includes(question) !== true) {
      return [`its question was told as ${shown(end.text)}`];
    }
    if (result?.kind !== 'executed' || result.outcome !== 'question') {
      return [`the host made of it: ${howItEnded(asking)}`];
    }
    const answered = await trial.answered();
    const texts = textsOf(answered);
    const missing = [
      ['the answer', answer],
      ['what came before it', askPrompt],
    ].filter(([, text]) => !texts.some((one) => one.includes(text ?? '')));
    return [
      ...missing.map(([what]) => `${what} did not reach the model`),
      ...notCompleted(answered),
    ];
  },
};

export const resumeClause: Clause = {
  id: 'C9',
  title: 'a second turn resumes the session',
  needs,
  async check(trial) {
    const second = await trial.second();
    const { end } = second.turn;
    if (end === null || end.outcome === 'lane_died') return [`it ended: ${howItEnded(second)}`];
    const texts = textsOf(second);
    const missing = [
      ['the first prompt', bigPrompt.slice(0, 80)],
      ['what it called its tool with', artifact.write],
      ['its own last words', question],
    ].filter(([, text]) => !texts.some((one) => one.includes(text ?? '')));
    return missing.map(([what]) => `the model was not told again: ${what}`);
  },
};

export const patienceClause: Clause = {
  id: 'C10',
  title: 'no premature exit',
  needs,
  async check(trial) {
    const scene = await trial.patient();
    const results = mainRequests(scene).map(({ request }) => request.toolText ?? '');
    if (!results.some((text) => text.includes(lateText))) {
      return [`it ended before its tool did: ${howItEnded(scene)}; ${toolWords(scene)}`];
    }
    return notCompleted(scene);
  },
};

function textsOf(scene: Scene): readonly string[] {
  return mainRequests(scene).flatMap(({ body }) => stringsIn(JSON.parse(body)));
}

function shown(text: string | null): string {
  return text === null ? 'nothing' : JSON.stringify(text.slice(0, 200));
}
