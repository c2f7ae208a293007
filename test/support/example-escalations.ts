/** A page for every reason why a run is parked (UX 5.1), with the options of the domain's table. */
import { clock } from '../../src/cli/format.ts';
import { escalationLines } from '../../src/cli/views/escalation.ts';
import { optionsFor } from '../../src/domain/escalation/options.ts';
import { type Disposition, type ParkReason, parkReasons } from '../../src/domain/run/state.ts';
import type { RunView } from '../../src/ports/client.ts';
import { noneShared, parked, story } from './example-pages.ts';
import { at, exampleDefinition } from './example-run.ts';
import { scriptedIo } from './scripted-io.ts';

/** What only some reasons come with. */
const texts: Partial<Record<ParkReason, string>> = {
  blocked_by_question: 'May I drop the old API?\nIt is used by two callers: 日本語, façade.',
  unknown_outcome: 'github.create_issue (server: github, writes)\nargs 9c1e4be2, tool 77ab01ff',
  verifier_unavailable: 'codex: exit 1: "429 Too Many Requests" \u001b[31m(after 3 tries)\u001b[0m',
};
const paths: Partial<Record<ParkReason, readonly string[]>> = {
  drift_detected: ['docs/x.md', "it's here.txt"],
  protected_changed: ['.github/workflows/ci.yml'],
};
const signs = {
  ...{ state: 'stalled', reason: null, delivery: 'started', stalledMs: 105_000 },
  ...{ outputAt: at(900), fileAt: at(880), cpuAt: null },
};
const recoveries = [1, 2, 3, 4].map((n) => ({
  at: at(800 + n * 60),
  execution: `7k2mab34cd56.${n}`,
  class: n % 2 === 0 ? 'lane_died' : 'transport_lost',
  action: n < 4 ? 'requeue' : 'give_up',
  isAsked: false,
  detail: n % 2 === 0 ? 'exit 137' : 'the host stood still for 31 s',
  attempt: 5,
  signs: null,
  next: n < 4 ? `7k2mab34cd56.${n + 1}` : null,
  hasHelped: false,
}));
const spent = {
  recoveries,
  nudges: [1, 2].map((n) => ({
    ...{ at: at(980 + n * 30), execution: '7k2mab34cd56.4', n },
    detail: 'no progress: no event, no new screen, no file',
  })),
  attemptOf: new Map([...story.attemptOf, ['7k2mab34cd56.4', 5]]),
  lastEnd: 'lane died: exit 137',
  lastLine: null,
  lastSigns: { execution: '7k2mab34cd56.4', at: at(1040), signs },
  parkedClass: 'lane_died',
};

const when = (instant: number): string => clock(scriptedIo({ now: at(1300) }), instant);

function page(disposition: Disposition, reason: ParkReason, columns: number): readonly string[] {
  const own = paths[reason] ?? [];
  const work = { best: parked.best, paths: own, isUnjudged: reason === 'cost' };
  const options = optionsFor(reason, parked.short, { ...work, maker: 'claude', agent: 'codex' });
  const view: RunView = {
    ...parked,
    disposition,
    reason,
    detail: null,
    paths: own,
    refusedGates: 0,
    ancestryUnknown: [],
    options: options.map(({ command, text }) => ({ command, effect: text })),
  };
  return escalationLines({
    view,
    definition: exampleDefinition(),
    story: {
      ...story,
      parkedAt: at(1200),
      ...(reason === 'recovery_exhausted' ? spent : { recoveries: [] }),
    },
    now: at(1300),
    at: when,
    text: texts[reason] ?? null,
    same: noneShared,
    printed: ['reading src/dates.ts', 'running npm test'],
    counted: { total: null, baselineFailed: null },
    called: 'pawl',
    columns,
  });
}

const reasons = Object.entries(parkReasons).flatMap(([disposition, all]) =>
  all.map((reason) => [disposition as Disposition, reason] as const),
);

export const escalationPages: Readonly<Record<string, (columns: number) => readonly string[]>> =
  Object.fromEntries(
    reasons.map(([disposition, reason]) => [
      `escalation/${reason}`,
      (columns: number) => page(disposition, reason, columns),
    ]),
  );
