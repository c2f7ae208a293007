/** What differs from run to run is masked, so that the rest of a screen can be compared. */

const masks: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/\b\d{1,2}:\d{2}(?::\d{2})?\b/g, '‹time›'],
  [/(?<![\w(.])(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?m?s\b/g, '‹span›'],
  [/\b[0-9a-f]{7,64}\b/g, '‹commit›'],
  [/\bpid \d+, contained by \S+/g, 'pid ‹pid›, contained by ‹rung›'],
  [/(resumed +by) \S+/g, '$1 ‹user›'],
  // How the program is called depends on where it lies.
  [/\bnpx pawl\b/g, 'pawl'],
];

/** `root`: the folder of the test. `name`: of the run, after which its id stands. */
export function masked(text: string, root: string, name: string): string {
  const id = new RegExp(`${name}[- ]([0-9a-z]{4,})`).exec(text)?.[1];
  const plain = text.replaceAll(root, '‹root›').replaceAll(id ?? root, '‹id›');
  const lines = plain.split('\n').map((line) => {
    const shown = masks.reduce((done, [pattern, mask]) => done.replace(pattern, mask), line);
    // A longer span moves what stands beside it.
    return !/‹span›|‹time›/.test(shown) ? shown : shown.replace(/(?<=\S) {2,}/g, '  ');
  });
  return `${lines.join('\n')}\n`;
}
