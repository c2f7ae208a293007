/** The table, from the database, the logs and the agents' own witness; true: all is as promised. */
import { attemptsOf, line, wrongRuns } from '../demo-cluster/judged.mjs';

export async function judged(world, project, { runs, lived, older, drained, server }) {
  // What nobody has taken was withdrawn while its run waited for a slot.
  const executions = await world.rows(`select id, run, role, attempt, status from executions
    where id in (select data::jsonb->>'id' from events where type = 'execution.leased')`);
  const lanes = executions.filter(({ role }) => role === 'execute');
  const wrong = await wrongRuns(world, project, runs);
  const starts = project.told().filter(({ what }) => what === 'start');
  const sealed = world.hostsSaid('left_sealed');
  const taken = sealed.filter((id) => server.said().includes(`${id} sealed result of a dead host`));
  const doubled =
    twice(lanes.filter(({ status }) => status === 'SUCCEEDED').map(attemptOf)) +
    twice(starts.map(({ name, attempt }) => `${name} ${attempt}`));
  const lost = lanes.filter(({ status }) => status !== 'SUCCEEDED');
  const again = executions.filter(({ role, status }) => role !== 'execute' && status === 'FAILED');
  const newer = starts.filter(({ adapter }) => adapter === '2').length;
  process.stdout.write('\n');
  line('runs ended rightly', `${runs - wrong.length} of ${runs}`);
  line('executions that lived across the upgrade', lived.length);
  line('spools of old hosts handed in', `${taken.length} of ${sealed.length}`);
  line('doubled', doubled);
  line('lost', wrong.length + lost.length);
  for (const one of wrong) process.stdout.write(`  ${one}\n`);
  for (const { id, status } of lost) process.stdout.write(`  ${id} is ${status}\n`);
  line('attempts spent', `${lanes.length}, and ${attemptsOf(runs)} were needed`);
  line('  turns by the older adapter', starts.length - newer);
  line('  turns by the newer adapter', newer);
  line('checks made again', again.length);
  line('the older server, drained', `exit ${drained}`);
  for (const { typed, exit, said } of older) {
    line(`older: pawl ${typed}`, `exit ${exit}: ${said.split('\n')[0]}`);
  }
  const { now, later } = world.later.formats;
  const refusal = `error[store_newer]: the store has format ${later}, this pawl knows ${now}\n`;
  return [
    wrong.length === 0 && lost.length === 0 && doubled === 0,
    lived.length > 0 && lived.every((id) => sealed.includes(id)),
    taken.length === sealed.length,
    lanes.length === attemptsOf(runs),
    newer > 0 && newer < starts.length,
    drained === 0,
    older.every(({ exit, said }) => exit === 1 && said.startsWith(refusal)),
  ].every((isKept) => isKept);
}

const attemptOf = ({ run, attempt }) => `${run} ${attempt}`;
const twice = (names) => names.length - new Set(names).size;
