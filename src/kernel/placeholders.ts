/**
 * The tokens that an argv template may hold (SL-75, SL-76). A word in braces that is none of them
 * would reach the agent as it stands, and nobody would know why; so it is refused where the
 * template is read.
 */
export const placeholders = [
  'prompt',
  'prompt_content',
  'cwd',
  'model',
  'output',
  'artifact',
  'verdict',
  'current_task',
  'current_phase',
] as const;

/** `${x}` is a shell's own; capitals and other characters are no token of anybody's. */
const token = /(?<!\$)\{([a-z][a-z_]*)\}/g;

/** Those of the words that are no known token, without their braces, each once. */
export function unknownPlaceholders(words: readonly string[]): readonly string[] {
  const known: readonly string[] = placeholders;
  const found = words.flatMap((word) => [...word.matchAll(token)].map(([, name]) => name ?? ''));
  return [...new Set(found)].filter((name) => !known.includes(name));
}
