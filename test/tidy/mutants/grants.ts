/** Grants and their tokens: who is believed, and what comes too late. */
import { conformance, type Mutant, property, unit } from './mutant.ts';

const forge = 'test/conformance/plane-forge.test.ts';
const offers = 'test/conformance/plane-offers.test.ts';

export const grants: readonly Mutant[] = [
  {
    id: 'grant-by-fence',
    file: 'src/http/plane/routes.ts',
    find: 'const isSame = names.every((name) => said[name] === binding[name]);',
    replace: 'const isSame = names.length > 0 && said.fence === binding.fence;',
    why: 'a number that can be guessed would open the execution of another',
    caughtBy: conformance(forge),
  },
  {
    id: 'grant-row-not-asked',
    file: 'src/http/plane/execution-handlers.ts',
    find: '  row !== null && row.lease?.grantId === grantId;',
    replace: "  row !== null && grantId !== '';",
    why: 'who lost an execution would still be given secrets and budget',
    caughtBy: conformance(forge),
  },
  {
    id: 'any-grant',
    file: 'src/domain/execution/decide.ts',
    find: 'return state.grant !== null && state.grant.id === presented;',
    replace: "return state.grant !== null && presented !== '';",
    why: 'who lost an execution would move that of his successor',
    caughtBy: unit('src/domain/execution/decide.test.ts', 'src/domain/execution/table.test.ts'),
  },
  {
    id: 'late-result-of-ended',
    file: 'src/domain/execution/decide.ts',
    find: `  if (!isHeld(state.status)) return notOpen(state);
  return ok([end.sealed(state.id, command)]);`,
    replace: '  return ok([end.sealed(state.id, command)]);',
    why: 'a result would be accepted from an execution that has ended',
    caughtBy: unit('src/domain/execution/decide.test.ts', 'src/domain/execution/table.test.ts'),
  },
  {
    id: 'late-result-beside-successor',
    file: 'src/domain/execution/adopt.ts',
    find: "state.status === 'DISPATCHED' && replaces(state, from)",
    replace: 'replaces(state, from)',
    why: 'the work of a lost execution would count beside that of its successor',
    caughtBy: unit('src/engine/local-plane.test.ts'),
  },
  {
    id: 'late-results-one-after-the-other',
    file: 'src/domain/run/adoption.ts',
    find: 'openExecution(run) === next.id && run.adoptedIn !== next.job.attempt;',
    replace: 'openExecution(run) === next.id;',
    why: 'several late results would be taken within one attempt',
    caughtBy: property('src/engine/adoption.property.test.ts'),
  },
  {
    id: 'nonce-opens-grant',
    file: 'src/engine/local-plane.ts',
    find: '  if (grant.holder.worker !== request.holder.worker) return null;\n',
    replace: '',
    why: 'what one worker holds would be had by another with its nonce',
    caughtBy: conformance(offers),
  },
  {
    id: 'token-without-audience',
    file: 'src/http/plane/tokens.ts',
    find: '        audience,\n        issuer,',
    replace: '        issuer,',
    why: 'the token of a session would be taken for that of an execution',
    caughtBy: conformance(forge),
  },
  {
    id: 'token-of-another-execution',
    file: 'src/http/plane/routes.ts',
    find: "    if (proof === 'execution') expectBound(parsed.data, who as ExecutionClaims);\n",
    replace: '    if (false as boolean) expectBound(parsed.data, who as ExecutionClaims);\n',
    why: 'a worker would speak for an execution that it does not hold',
    caughtBy: conformance(forge),
  },
  {
    id: 'message-of-another-execution',
    file: 'src/engine/edge.ts',
    find: 'return command.principal.actor === command.execution;',
    replace: 'return true;',
    why: 'a lane would move the execution of another',
    caughtBy: unit('src/engine/edge.test.ts'),
  },
];
