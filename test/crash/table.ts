/** Where a run can be killed: program, named point, and the how-manieth time. */
export interface CrashPoint {
  readonly program: 'pawl' | 'driver' | 'lane-host' | 'check-host';
  readonly point: string;
  readonly count: number;
}

const at = (program: CrashPoint['program'], points: readonly string[], count = 1) =>
  points.map((point): CrashPoint => ({ program, point, count }));

/** Commits of the driver: the first ones of a run, and one in its middle. */
const commits = [1, 2, 3].flatMap((count) =>
  at('driver', ['store.before_commit', 'store.after_commit'], count),
);

export const crashPoints: readonly CrashPoint[] = [
  ...at('pawl', ['store.before_commit', 'store.after_commit']),
  ...commits,
  ...at('lane-host', [
    'host.opened',
    'host.claimed',
    'host.tree-opened',
    'host.furnished',
    'host.spawned',
    'host.started',
    'host.tree-ended',
    'host.snapshotted',
    'host.artifacts-put',
    'host.sealed',
    'host.result-sent',
    'store.before_commit',
    'store.after_commit',
  ]),
  ...at('check-host', [
    'check.seated',
    'check.claimed',
    'check.started',
    'check.checked',
    'check.artifacts-put',
    'store.before_commit',
    'store.after_commit',
  ]),
  // The verification after the first attempt, not the baseline.
  ...at('check-host', ['check.claimed', 'check.checked', 'check.artifacts-put'], 2),
];
