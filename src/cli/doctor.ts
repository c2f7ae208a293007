/**
 * `pawl doctor` (UX 5.4): machine, store, driver, agents, project, notifications. `unknown` is
 * never shown as ok. `--fix` takes what can be taken back, and nothing else.
 */

import type { HealthCheck } from '../ports/health.ts';
import { answer, type Command, type Context } from './command.ts';
import { agentsSection, notifySection, projectSection } from './doctor-project.ts';
import { driverSection, storeSection } from './doctor-store.ts';
import { exits } from './exit.ts';
import { doctorLines, type Section } from './views/doctor.ts';

export const command: Command = {
  name: 'doctor',
  summary: 'What may go wrong here, before it does.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [
    {
      name: 'probe',
      kind: 'switch',
      says: 'one canned exchange with each agent',
      later: 'an agent is a command here, and no exchange with it is known',
    },
    { name: 'fix', kind: 'switch', says: 'take the fixes that can be taken back' },
    { name: 'strict', kind: 'switch', says: 'exit 1 with a warning too' },
  ],
  examples: ['pawl doctor', 'pawl doctor --fix'],
  run,
};

async function run(context: Context): Promise<number> {
  const health = await context.options.health();
  const before: readonly Section[] = [
    { name: 'machine', checks: await health.machine() },
    { name: 'store', checks: await storeSection(context, health) },
    { name: 'driver', checks: await driverSection(context, health) },
    { name: 'agents', checks: await agentsSection(context) },
    { name: 'project', checks: await projectSection(context) },
    { name: 'notify', checks: await notifySection(context, health) },
  ];
  const fixed: string[] = [];
  const sections = context.given.has('fix') ? await fix(before, fixed) : before;
  const checks = sections.flatMap((section) => section.checks);
  answer(context, doctorLines(sections, fixed, context.style.columns), {
    schema: 'pawl.doctor/1',
    checks: checks.map(({ id, state, detail, next }) => ({ id, state, detail, next })),
    fixed,
  });
  const isBad = (state: HealthCheck['state']): boolean =>
    state === 'fail' || (state === 'warn' && context.given.has('strict'));
  return checks.some(({ state }) => isBad(state)) ? exits.failed : exits.done;
}

/** What was fixed is told as that; what could not be is told as it was. */
async function fix(sections: readonly Section[], fixed: string[]): Promise<readonly Section[]> {
  const after: Section[] = [];
  for (const { name, checks } of sections) {
    const now: HealthCheck[] = [];
    for (const check of checks) now.push(await fixOne(check, fixed));
    after.push({ name, checks: now });
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
