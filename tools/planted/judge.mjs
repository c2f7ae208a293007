/**
 * What a run of tests proves about a planted fault, from vitest's JSON report. Caught is only what
 * an assertion of a named test has caught: a file that cannot be loaded, a test that stumbles over
 * something else, and a test that was ended for its length have seen nothing.
 */

/** Of vitest, of its `rejects` and `resolves`, of a property, and of the simulation's oracle. */
const assertion =
  /^(?:AssertionError|Violation\b|Error: promise (?:resolved|rejected) |Error: Property failed )/;
const lineMax = 200;

/**
 * @param {object|null} report  null: there is none, or it is not whole
 * @param {string} [says]  what one of the failures must say, where no assertion says it
 * @returns {{how: 'caught'|'survived'|'stumbled'|'nothing', by: string}}
 */
export function judgeFault(report, says) {
  const tests = testsOf(report);
  const failed = tests.filter(({ status }) => status === 'failed');
  const seen = failed.find(({ failureMessages }) =>
    failureMessages.some((text) => isCaught(text, says)),
  );
  if (seen !== undefined) return { how: 'caught', by: seen.fullName };
  const broken = failed[0] ?? filesOf(report).find(({ status }) => status === 'failed');
  if (broken !== undefined) return { how: 'stumbled', by: saidBy(broken) };
  if (!tests.some(({ status }) => status === 'passed')) {
    return { how: 'nothing', by: 'no test ran' };
  }
  return { how: 'survived', by: '' };
}

/** Null: each of these tests passes without a fault. */
export function judgeClean(report) {
  const { how, by } = judgeFault(report);
  if (how === 'survived') return null;
  return how === 'caught' ? `fails without a fault: ${by}` : by;
}

const isCaught = (text, says) =>
  says === undefined ? assertion.test(text) : text.split('\n    at ')[0].includes(says);

const filesOf = (report) => report?.testResults ?? [];
const testsOf = (report) => filesOf(report).flatMap(({ assertionResults }) => assertionResults);

function saidBy({ fullName, failureMessages, message }) {
  const text = (failureMessages ?? [message ?? '']).join('\n').split('\n')[0];
  return `${fullName ?? 'a file'}: ${text}`.slice(0, lineMax);
}
