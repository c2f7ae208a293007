/**
 * How a sweep ends an execution that nobody else will end. Only after its tree was ended is it
 * lost, so that the proof is of what is now; what it sealed until then counts.
 */
import type { FailureClass } from '../../domain/execution/state.ts';
import { digestsIn } from '../../domain/references.ts';
import type { LaneSighting, Lanes } from '../../ports/lanes.ts';
import type { Plane } from '../../ports/plane.ts';
import type { Proof } from '../../ports/processes.ts';
import type { OpenExecution } from '../../ports/store.ts';
import { driverPrincipal, executionCommand } from '../command.ts';
import type { Engine } from '../engine.ts';
import { detailMax, messageOf } from '../words.ts';
import { toldOf } from './lane-facts.ts';

export interface Lost {
  readonly class: FailureClass;
  readonly detail: string;
}
type Sealed = Extract<LaneSighting, { readonly state: 'sealed' }>;

/** Each answers whether it moved the execution. */
export interface Endings {
  lose(open: OpenExecution, lost: Lost, proof: Proof): Promise<boolean>;
  endAndLose(open: OpenExecution, lost: Lost): Promise<boolean>;
  submit(open: OpenExecution, sealed: Sealed): Promise<boolean>;
}

export interface EndingsOptions {
  readonly engine: Engine;
  readonly plane: Pick<Plane, 'result'>;
  readonly lanes: Pick<Lanes, 'end' | 'look'>;
  readonly log: (line: string) => void;
}

export function endings({ engine, plane, lanes, log }: EndingsOptions): Endings {
  const lose: Endings['lose'] = async (open, lost, proof) => {
    const at = engine.clock.now();
    const gaps = proof.gaps.length === 0 ? '' : `; not excluded: ${proof.gaps.join(', ')}`;
    const detail = `${lost.detail}${gaps}`.slice(0, detailMax);
    const last = (await engine.store.execution(open.id)) ?? open;
    const spent = last.usage ?? open.usage;
    const signs = toldOf(last);
    const issued = await engine.issue(
      executionCommand(open.run, open.id, driverPrincipal, {
        ...{ type: 'lose', class: lost.class, proof: proof.strength, detail, at },
        ...(spent === null ? {} : { usage: spent }),
        ...(signs === null ? {} : { signs }),
      }),
    );
    log(`${open.id} lost: ${lost.class}, ${proof.strength}, ${detail}`);
    return issued.kind === 'committed';
  };
  const endAndLose: Endings['endAndLose'] = async (open, lost) => {
    const proof = await lanes.end(open);
    const after = await lanes.look(open);
    // What a host sealed before it was ended counts as if it had died a moment later.
    if (after.state === 'sealed') return submit(open, after);
    return after.state === 'alive' ? false : lose(open, lost, proof);
  };
  const submit: Endings['submit'] = async (open, sealed) => {
    const { grantId, seal, result } = sealed;
    await carryOver({ engine, log }, sealed);
    const answer = await plane.result({ execution: open.id, grantId, seal, result });
    log(`${open.id} sealed result of a dead host: ${answer.ok ? 'handed in' : answer.reason}`);
    if (answer.ok) return true;
    // A seal that is refused while its lease is still the current one would be offered for ever.
    const detail = `its sealed result was refused: ${answer.reason}`;
    return lose(open, { class: 'lane_died', detail }, await lanes.end(open));
  };
  return { lose, endAndLose, submit };
}

/**
 * What a host could not put into a store that takes nothing of it lies on this machine. It is
 * carried over by being read, before anything refers to it.
 */
async function carryOver(
  { engine, log }: Pick<EndingsOptions, 'engine' | 'log'>,
  { result }: Sealed,
): Promise<void> {
  for (const { digest } of digestsIn(result)) {
    try {
      await engine.artifacts.get(digest);
    } catch (error: unknown) {
      // The result says what was done, whatever became of what it names.
      log(`artifact ${digest}: ${messageOf(error)}`);
    }
  }
}
