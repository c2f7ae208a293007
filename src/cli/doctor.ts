/**
 * `pawl doctor` (UX 5.4): machine, store, driver, agents, project, notifications. `unknown` is
 * never shown as ok. `--fix` takes what can be taken back, and nothing else.
 */

import { RequestError } from '../kernel/errors.ts';
import type { HealthCheck } from '../ports/health.ts';
import { answer, type Command, type Context } from './command.ts';
import { agentsSection, requireKnown } from './doctor-agents.ts';
import { asking } from './doctor-ask.ts';
import { notifySection, projectSection } from './doctor-project.ts';
import { driverSection, storeSection } from './doctor-store.ts';
import { exits } from './exit.ts';
import { doctorLines, type Section } from './views/doctor.ts';

export const command: Command = {
  name: 'doctor',
  summary: 'What may go wrong here, before it does.',
  arguments: { usage: '[agent]', min: 0, max: 1 },
  flags: [
    {
      name: 'probe',
      kind: 'switch',
      says: 'one canned exchange with each installed agent, or the one named; costs nothing',
    },
    { name: 'fix', kind: 'switch', says: 'take the fixes that can be taken back' },
    { name: 'strict', kind: 'switch', says: 'exit 1 with a warning too' },
  ],
  examples: ['pawl doctor', 'pawl doctor --probe claude', 'pawl doctor --fix'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given } = context;
  const [agent = null] = given.words;
  if (agent !== null && !given.has('probe')) throw wordAlone(context, agent);
  const health = await context.options.health();
  const ask = asking();
  if (agent !== null) requireKnown(context, await context.options.detection(), agent);
  const probing = given.has('probe') ? { agent } : null;
  let agents: Section = { name: 'agents', checks: [] };
  const unasked = await ask('agents.none', async () => {
    agents = await agentsSection(context, probing);
    return [];
  });
  const before: readonly Section[] = [
    { name: 'machine', checks: await ask('machine', health.machine) },
    { name: 'store', checks: await storeSection(context, health, ask) },
    { name: 'driver', checks: await driverSection(context, health, ask) },
    unasked.length === 0 ? agents : { name: 'agents', checks: unasked },
    { name: 'project', checks: await ask('project.file', () => projectSection(context)) },
    { name: 'notify', checks: await ask('notify.none', () => notifySection(context, health)) },
  ];
  const fixed: string[] = [];
  const sections = given.has('fix') ? await fix(before, fixed) : before;
  const checks = sections.flatMap((section) => section.checks);
  answer(context, doctorLines(sections, fixed, context.style.columns), {
    schema: 'pawl.doctor/1',
    checks: checks.map(({ fix: _, ...check }) => check),
    fixed,
  });
  const isBad = (state: HealthCheck['state']): boolean =>
    state === 'fail' || (state === 'warn' && given.has('strict'));
  return checks.some(({ state }) => isBad(state)) ? exits.failed : exits.done;
}

function wordAlone({ called }: Context, agent: string): RequestError {
  return new RequestError('usage', `doctor takes the name of an agent after --probe alone`, {
    found: agent,
    next: `${called} doctor --probe ${agent}`,
  });
}

/** What was fixed is told as that; what could not be is told as it was. */
async function fix(sections: readonly Section[], fixed: string[]): Promise<readonly Section[]> {
  const after: Section[] = [];
  for (const section of sections) {
    const now: HealthCheck[] = [];
    for (const check of section.checks) now.push(await fixOne(check, fixed));
    after.push({ ...section, checks: now });
  }
  return after;
}

async function fixOne(check: HealthCheck, fixed: string[]): Promise<HealthCheck> {
  if (check.fix === undefined || check.state === 'ok') return check;
  try {
    await check.fix.run();
  } catch (error: unknown) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...check, detail: `${check.detail}; not fixed: ${why}` };
  }
  fixed.push(check.fix.says);
  return { id: check.id, state: 'ok', detail: `${check.detail}; fixed`, next: null };
}
