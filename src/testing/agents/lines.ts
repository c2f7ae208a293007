/** What is said in the scenes: prompts, and the lines of the scripted model. */

const line = (n: number) =>
  `Zeile ${n}: Grüße aus Köln, „Öl“ und 'Maß' – "quoted" \\ back, $HOME \`tick\` 漢字 🙂`;
const head = 'Write the file published.txt, then ask me one question. What follows is background.';

/** More than 150 kB, with letters of two to four bytes, quotes, and many lines. */
export const bigPrompt = [
  head,
  ...Array.from({ length: 1_900 }, (_, n) => line(n)),
  'Here the prompt ends: Schlußwort.',
].join('\n');

export const artifact = { write: 'published.txt', content: 'Veröffentlicht: größer als ½.\n' };
export const question = 'Which colour shall it be: the green one or the blue one?';
export const askPrompt = 'Ask me which colour it shall be.';
export const answer = 'Take the blue one, please: das blaue.';
export const understood = 'Understood: all of it is done now.';
export const lateText = 'LATE-BUT-HERE';
export const trickled = 'Slowly, slowly, but all of it.';
