/**
 * What `test`, `build`, `lint` and `command` have in common: a command of the repository, judged by
 * its exit code and by its runner's own report. A report that contradicts a good exit code wins
 * (L-A22, L-A23); output never turns a bad exit code into a pass (L-A1, L-I9).
 */
import type { CommandCriterion } from '../../domain/definition/definition.ts';
import { invariant } from '../../kernel/invariant.ts';
import { type Report, readReport, testsRun } from '../counts.ts';
import { wasKilled } from '../killed.ts';
import type { CommandRun } from '../run-command.ts';
import { bounded, lastLines, seconds } from '../summary.ts';
import type { AnyCriterion, CriterionFinding, CriterionKind, Scene } from './kind.ts';
import { missingPackage } from './missing-package.ts';
import { missingTool } from './missing-tool.ts';

/** `report`: whether the kind's output is read as a test runner's report. */
export function commandKind(kind: CommandCriterion['kind'], report: boolean): CriterionKind {
  return {
    kind,
    judgedBy: 'runtime',
    what: (criterion) => command(criterion).command,
    check: (criterion, scene) => check(command(criterion), scene, report),
  };
}

function command(criterion: AnyCriterion): CommandCriterion {
  invariant('command' in criterion, `a ${criterion.kind} criterion has a command`);
  return criterion as CommandCriterion;
}

async function check(
  criterion: CommandCriterion,
  scene: Scene,
  reads: boolean,
): Promise<CriterionFinding> {
  const run = await scene.run(criterion.command, criterion.timeoutMs);
  const report = reads ? readReport(run.text) : null;
  const finding = judge(criterion, run, report);
  if (!criterion.redFirst || scene.side === 'base' || finding.outcome !== 'passed') return finding;
  const reasons = await notRedOnBase(criterion, scene);
  if (reasons === null) return finding;
  return { ...finding, outcome: 'failed', repeatable: false, score: 0, reasons };
}

function judge(
  criterion: CommandCriterion,
  run: CommandRun,
  report: Report | null,
): CriterionFinding {
  const unrunnable = cannotRun(run, report);
  const complaint =
    endReason(run) ?? unrunnable ?? exitReason(criterion, run) ?? reportReason(criterion, report);
  const good = complaint === null;
  return {
    outcome: good ? 'passed' : run.ended === 'cancelled' ? 'indeterminate' : 'failed',
    unrunnable,
    repeatable: !good && run.ended === 'exit' && unrunnable === null,
    isKilled: !good && wasKilled(run),
    score: good ? 1 : partly(report),
    reasons: good ? [] : [bounded(complaint, 500), ...details(report, run)].slice(0, 10),
    exit: run.exit,
    counts: report?.counts ?? null,
    durationMs: run.durationMs,
    output: run.output,
    excerpt: lastLines(run.text, 20).join('\n').slice(-2_000),
    containment: { rung: run.proof.rung, proof: run.proof.strength },
  };
}

function endReason(run: CommandRun): string | null {
  if (run.ended === 'cancelled') return 'the check was cancelled';
  if (run.ended === 'exit') return null;
  return `deadline: no end within ${seconds(run.timeoutMs)}; its processes were ended`;
}

/** Why this run says nothing about the work: the command could not be run at all. */
function cannotRun(run: CommandRun, report: Report | null): string | null {
  if (run.ended === 'deadline') return endReason(run);
  const last = lastLines(run.text, 1, 300)[0] ?? 'no output';
  if (run.exit === 126 || run.exit === 127) return `exit ${run.exit}: ${last}`;
  if (run.exit === 0 || run.exit === null) return null;
  const counts = report?.counts ?? null;
  const missing = missingPackage(run.text, counts) ?? missingTool(run.text, counts);
  return missing === null ? null : `exit ${run.exit}: ${missing}`;
}

function exitReason(criterion: CommandCriterion, run: CommandRun): string | null {
  if (run.exit === criterion.expectExit) return null;
  if (run.exit === null) return `ended by ${run.signal ?? 'a signal'}`;
  const wanted = criterion.expectExit === 0 ? '' : `, ${criterion.expectExit} was wanted`;
  return `exit ${run.exit}${wanted}`;
}

function reportReason(criterion: CommandCriterion, report: Report | null): string | null {
  const failed = report?.counts.failed ?? 0;
  if (criterion.expectExit === 0 && failed > 0) {
    return `exit 0, but its report says ${failed} failed (${report?.runner}); the report is believed`;
  }
  const ran = testsRun(report?.counts ?? null);
  if (criterion.testsRunMoreThan === null) return ran === 0 ? 'no tests ran' : null;
  const wanted = `more than ${criterion.testsRunMoreThan} were wanted`;
  if (ran === null) return `no report says how many tests ran; ${wanted}`;
  return ran > criterion.testsRunMoreThan ? null : `${ran} tests ran; ${wanted}`;
}

/** How near it came: the share of tests that passed. */
function partly(report: Report | null): number {
  const ran = testsRun(report?.counts ?? null);
  if (ran === null || ran === 0) return 0;
  return (report?.counts.passed ?? 0) / ran;
}

function details(report: Report | null, run: CommandRun): readonly string[] {
  if (report !== null && report.failing.length > 0) {
    return report.failing.map((name) => bounded(`failing: ${name}`, 500));
  }
  return lastLines(run.text, 5);
}

/** Red first: a test of the change must fail on base, or it proves nothing (L-A13). */
async function notRedOnBase(
  criterion: CommandCriterion,
  scene: Scene,
): Promise<readonly string[] | null> {
  const base = await scene.runOnBase(criterion.command, criterion.timeoutMs);
  if (base.run === null) {
    return ['redFirst: the change has no test; one that fails on the base commit is wanted'];
  }
  const report = readReport(base.run.text);
  const before = base.baseline?.failed ?? 0;
  const now = report?.counts.failed ?? null;
  const failsThere = base.run.ended !== 'exit' || base.run.exit !== criterion.expectExit;
  const isNew = before === 0 || now === null || now > before;
  if (failsThere && isNew) return null;
  const files = base.changed.slice(0, 5).join(', ');
  return [
    bounded(`redFirst: the tests of the change (${files}) also pass on the base commit`, 500),
  ];
}
