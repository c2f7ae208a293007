/** A fault that is planted to see the tests catch it (docs/testing.md, "Planted faults"). */
export interface Mutant {
  /** Names it on the command line. */
  readonly id: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** What would go wrong, were it so. */
  readonly why: string;
  readonly caughtBy: Tests;
}

export interface Tests {
  /** A lane of docs/testing.md. */
  readonly project: string;
  readonly files: readonly string[];
  /** Part of the titles of those that are run; absent: all of the files. */
  readonly title?: string;
  /** Where no assertion says it: what one of the failures says. */
  readonly says?: string;
}

export const unit = (...files: readonly string[]): Tests => ({ project: 'unit', files });
export const property = (...files: readonly string[]): Tests => ({ project: 'property', files });
export const sim = (...files: readonly string[]): Tests => ({ project: 'sim', files });
export const conformance = (...files: readonly string[]): Tests => ({
  project: 'conformance',
  files,
});
