/** What each kind of command on an escalation's page must have done. */

export interface After {
  /** The run, in the end. */
  readonly shown: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly type: string; readonly data: Fields }[];
  /** The run that came of it, with its definition; null: none. */
  readonly next: Readonly<Record<string, unknown>> | null;
  /** What stood on the terminal. */
  readonly screen: string;
  git(...args: readonly string[]): string;
}
type Fields = Readonly<Record<string, unknown>>;

export interface Effect {
  readonly kind: string;
  isTrue(after: After): boolean;
  /** What a human does himself in the middle of it. */
  before?(line: string): string;
}

const isComplete = ({ shown }: After): boolean =>
  shown['status'] === 'complete' && shown['verification'] === 'passed';
const isParked = ({ shown }: After): boolean => shown['status'] === 'needs_operator';

/** Of the last resume; null: there was none. */
function resumed({ events }: After): Fields | null {
  return events.findLast(({ type }) => type === 'run.resumed')?.data ?? null;
}

/** Turns of its agent that were dispatched after the resume. */
function turns({ events }: After): readonly Fields[] {
  const at = events.findLastIndex(({ type }) => type === 'run.resumed');
  return events.slice(at).flatMap(({ type, data }) => {
    const job = data['job'] as Fields | undefined;
    return type === 'execution.dispatched' && job?.['role'] === 'execute' ? [job] : [];
  });
}

const goesOn = (after: After): boolean => resumed(after) !== null && isComplete(after);

const grants = (what: string): Effect => ({
  kind: `grants ${what}`,
  isTrue: (after) => {
    const granted = (resumed(after)?.['granted'] ?? {}) as Fields;
    return Number(granted[what]) > 0 && isComplete(after);
  },
});

const happened = (isSo: boolean): Effect => ({
  kind: `says that it ${isSo ? 'happened' : 'did not happen'}`,
  isTrue: (after) => resumed(after)?.['happened'] === isSo && goesOn(after),
});

const hinted = (after: After): boolean => after.events.some(({ type }) => type === 'hint.added');
const startsAnother = (kind: string, isSo: (next: Fields) => boolean): Effect => ({
  kind,
  isTrue: ({ shown, next }) =>
    shown['status'] === 'cancelled' &&
    next?.['status'] === 'complete' &&
    next['resumedFrom'] === shown['id'] &&
    isSo(next),
});
const only = (kind: string, pattern: RegExp): Effect => ({
  kind,
  isTrue: (after) => isParked(after) && resumed(after) === null && pattern.test(after.screen),
});

const head = ({ shown }: After): string => String(shown['head']);
/** What no agent was to write is in the work. */
const hasMore = (after: After): boolean =>
  after.git('diff', 'main', head(after)).includes('// more');

/** What the editor of the test makes of a goal. */
export const editedGoal = 'find the answer, again';
/** In the work tree: the check as it was, and the answer. */
export const byHand = 'git show main:check.mjs > check.mjs && echo 42 > answer.txt';

/** The first that matches; `<run>` stands for the run. */
const effects: readonly (readonly [RegExp, Effect])[] = [
  [/^pawl resume <run>$/, { kind: 'goes on', isTrue: goesOn }],
  [
    /^pawl resume <run> (?:--attempts \+\d+ )?--fresh$/,
    {
      kind: 'goes on in a new tree',
      isTrue: (after) => goesOn(after) && turns(after)[0]?.['tree'] !== 'same',
    },
  ],
  [/^pawl resume <run> --now$/, { kind: 'verifies again', isTrue: goesOn }],
  [
    /^pawl resume <run> --verify-now$/,
    {
      kind: 'judges the work as it is',
      isTrue: (after) =>
        resumed(after) !== null &&
        turns(after).length === 0 &&
        (isComplete(after) || isParked(after)) &&
        after.events.some(({ type }) => type === 'verification.recorded'),
    },
  ],
  [
    /^pawl resume <run> --attempts \+\d+ --hint "…"$/,
    { kind: 'grants attempts, with a push', isTrue: (after) => goesOn(after) && hinted(after) },
  ],
  [/^pawl resume <run> --attempts \+\d+( --from-attempt \d+)?$/, grants('attempts')],
  [/^pawl resume <run> --tokens \+\d+$/, grants('tokens')],
  [/^pawl resume <run> --cost \+\d+$/, grants('costUsd')],
  [/^pawl resume <run> --time \+\w+$/, grants('timeMs')],
  [
    /^pawl resume <run> --hint "…"$/,
    { kind: 'goes on with a push', isTrue: (after) => goesOn(after) && hinted(after) },
  ],
  [
    /^pawl resume <run> --restore$/,
    { kind: 'puts back', isTrue: (after) => goesOn(after) && !hasMore(after) },
  ],
  [
    /^pawl resume <run> (?:--allow \S+ ?)+$/,
    { kind: 'allows', isTrue: (after) => goesOn(after) && hasMore(after) },
  ],
  [
    /^pawl resume <run> --on \S+$/,
    { kind: 'goes elsewhere', isTrue: (after) => typeof resumed(after)?.['on'] === 'string' },
  ],
  [/^pawl resume <run> --happened$/, happened(true)],
  [/^pawl resume <run> --did-not-happen$/, happened(false)],
  [/^pawl answer <run> "…"$/, { kind: 'answers', isTrue: isComplete }],
  [
    /^cd "\$\(pawl path <run>\)" {3}then {2}pawl resume <run> --verify-now$/,
    {
      kind: 'judges the work of a human',
      before: (line) => line.replace('   then  ', ` && ${byHand} && `),
      isTrue: (after) => goesOn(after) && turns(after).length === 0,
    },
  ],
  [
    /^pawl retry <run> --agent codex( --from last)?$/,
    startsAnother('another agent goes on', ({ lane }) => (lane as Fields)['agent'] === 'codex'),
  ],
  [
    /^pawl retry <run> --permissions trusted( --from last)?$/,
    startsAnother(
      'another is allowed all',
      ({ definition }) => (definition as Fields)['permissions'] === 'trusted',
    ),
  ],
  [
    /^pawl retry <run> --edit$/,
    startsAnother('an edited one is started', ({ goal }) => goal === editedGoal),
  ],
  [/^pawl retry <run> --setup "…" --from base$/, startsAnother('another set-up', () => true)],
  [
    /^pawl accept <run> --reason "…"$/,
    {
      kind: 'is taken as it is',
      isTrue: ({ shown }) =>
        shown['status'] === 'complete' && shown['verification'] === 'overridden',
    },
  ],
  [
    /^pawl cancel <run>$/,
    { kind: 'ends it', isTrue: ({ shown }) => shown['status'] === 'cancelled' },
  ],
  [
    /^pawl diff <run>$/,
    {
      kind: 'shows the change',
      isTrue: (after) =>
        isParked(after) &&
        after
          .git('diff', '--name-only', 'main', head(after))
          .split('\n')
          .every((path) => path !== '' && after.screen.includes(path)),
    },
  ],
  [/^pawl config show --origin$/, only('shows what is set', /budgets\..*config\.yaml/)],
  [/^pawl prune$/, only('shows what may go', /nothing to remove|nothing was removed/)],
  [/^pawl logs <run>/, only('shows what was said', /\S/)],
  [/^pawl show <run> --events$/, only('shows what happened', /run\.parked|parked/)],
];

/** @throws when nobody said what such a command must do. */
export function effectOf(command: string): Effect {
  const found = effects.find(([pattern]) => pattern.test(command));
  if (found === undefined) throw new Error(`a page prints what nothing is known of: ${command}`);
  return found[1];
}
