/** The table, from the database and from the agents' own witness; true: all is as promised. */
import { isWrongFirst, nameOf, shown } from './project.mjs';

export async function judged(cluster, project, runs) {
  const { rows } = cluster;
  const results = await rows(`select run, role, attempt, status, count(*)::int as n
    from executions group by run, role, attempt, status`);
  const refused = await rows('select verb, reason, sum(n)::int as n from evidence group by 1, 2');
  const told = project.told();
  const wrong = await wrongRuns(cluster, project, runs);
  const doubled = results.filter(
    ({ role, status, n }) => role === 'execute' && status === 'SUCCEEDED' && n > 1,
  ).length;
  const again = told.filter(({ what }) => what === 'start').length - attemptsOf(runs);
  const sum = (list) => list.reduce((all, { n }) => all + n, 0);
  const lost = sum(results.filter(({ status }) => status === 'FAILED'));
  process.stdout.write('\n');
  line('runs ended rightly', `${runs - wrong.length} of ${runs}`);
  line('  by the attempts that they needed', attemptsOf(runs));
  line('executions lost with their holder', lost);
  line('  agents started again, same attempt', again);
  line('late callbacks refused', sum(refused));
  for (const { verb, reason, n } of refused) line(`  ${verb}`, `${n} × ${reason}`);
  line('doubled', doubled);
  line('lost', wrong.length);
  for (const one of wrong) process.stdout.write(`  ${one}\n`);
  return wrong.length === 0 && doubled === 0;
}

export const line = (what, value) => process.stdout.write(`${what.padEnd(44)}${value}\n`);

export const attemptsOf = (runs) =>
  Array.from({ length: runs }, (_, n) => (isWrongFirst(n) ? 2 : 1)).reduce((a, b) => a + b, 0);

export async function wrongRuns(cluster, project, runs) {
  const wrong = [];
  for (let n = 0; n < runs; n += 1) wrong.push(...(await faultsOf(cluster, project, n)));
  return wrong;
}

async function faultsOf(cluster, project, n) {
  const name = nameOf(n);
  const { status, reason, attempt, branch } = await shown(cluster, project, name);
  if (status !== 'complete')
    return [`${name} is ${status}${reason === null ? '' : ` (${reason})`}`];
  const answer = project.git('show', `${branch}:answer.txt`);
  if (answer !== '42') return [`${name}: its branch holds "${answer}"`];
  const needed = isWrongFirst(n) ? 2 : 1;
  return attempt.n === needed ? [] : [`${name} took ${attempt.n} attempts, and needed ${needed}`];
}
