/**
 * The work of a lane that is asked about a parked run. What it says is kept as it is, bounded: it
 * is prose for a person, and nothing is decided by it.
 */
import { agentOf } from '../domain/execution/agent.ts';
import { clip } from '../kernel/text.ts';
import { diedIn } from './execute-lane.ts';
import { failed, type LaneWork, type Outcome, reached } from './lane-work.ts';
import { type Heard, materialOf, readingLane } from './reading-lane.ts';
import { redactText } from './redact.ts';
import { withRoom } from './room.ts';

const opinionMax = 16_384;

export async function consultLane(work: LaneWork): Promise<Outcome> {
  const { dispatch, options } = work;
  const role = agentOf(dispatch.definition.roles, 'consult');
  if (role === null) {
    const detail = 'an opinion was asked of no role';
    return failed({ class: 'dispatch_failed', detail });
  }
  return readingLane(work, async () => {
    const material = await materialOf(work);
    return {
      role,
      prompt: async () => options.judges.opinion(dispatch.prompt, material),
      conclude: (heard) => conclude(work, heard),
    };
  });
}

async function conclude(work: LaneWork, heard: Heard): Promise<Outcome> {
  const { text, ended, turn } = heard;
  const { usage } = turn.end;
  if (!ended || text === null) return failed({ ...whyNone(work, heard), usage });
  const said = clip(text.trim(), opinionMax);
  const digest = await withRoom(work, () => work.options.artifacts.put(said, 'opinion'));
  reached(work, 'artifacts-put');
  const spent = usage === null ? {} : { usage };
  return { how: 'result', result: { kind: 'advised', text: digest, ...spent } };
}

function whyNone(work: LaneWork, { ended, turn }: Heard) {
  const proof = turn.proof.strength;
  const { end, endedBy } = turn;
  if (endedBy === 'deadline') {
    return { class: 'window_exhausted', detail: 'its time was up', proof } as const;
  }
  if (end.outcome === 'limit') {
    return { class: 'rate_limited', detail: 'the usage limit is reached', proof } as const;
  }
  const detail = 'detail' in end ? redactText(end.detail, work.secrets) : 'it said nothing';
  const exit = ended ? ({ cleanExit: true } as const) : {};
  return { ...diedIn(turn, detail), ...exit, proof };
}
