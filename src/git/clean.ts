/** `git clean` of everything that is not tracked, but for these paths at the top of the tree. */
export function cleanArgs(keep: readonly string[]): readonly string[] {
  return ['clean', '-q', '-ffdx', ...keep.flatMap((path) => ['-e', spared(path)])];
}

/** The pattern that means this path and no other: `clean -e` reads it as a line of .gitignore. */
function spared(path: string): string {
  return `/${path.replace(/^\/+|\/+$/g, '').replaceAll(/[\\*?[\]!#]/g, '\\$&')}`;
}
