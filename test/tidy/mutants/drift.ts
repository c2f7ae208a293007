/** Where an agent may write, and who may enter its tree. */
import { type Mutant, unit } from './mutant.ts';

export const drift: readonly Mutant[] = [
  {
    id: 'drift-not-looked-at',
    file: 'src/git/out-of-scope.ts',
    find: 'if (!isInScope(path) || why !== null) outside.push({ path, why });',
    replace: 'if (why !== null) outside.push({ path, why });',
    why: 'an agent would change what it was not to touch, unseen',
    caughtBy: unit('src/git/findings.test.ts'),
  },
  {
    id: 'links-lead-out',
    file: 'src/git/out-of-scope.ts',
    find: 'if (!isInScope(path) || why !== null) outside.push({ path, why });',
    replace: 'if (!isInScope(path)) outside.push({ path, why });',
    why: 'a link in the scope would lead writes out of the tree',
    caughtBy: unit('src/git/findings.test.ts'),
  },
  {
    id: 'drift-goes-on',
    file: 'src/domain/run/turn.ts',
    find: '  if (drift !== null) return drifted(',
    replace: '  if (drift !== null && run.terms.git === undefined) return drifted(',
    why: 'drift would be recorded and land all the same',
    caughtBy: {
      ...unit('src/domain/run/recovery.test.ts'),
      says: 'active, not needs_operator',
    },
  },
  {
    id: 'protected-not-looked-at',
    file: 'src/git/findings.ts',
    find: 'const touched = globs.length === 0 ? [] : looked.paths.filter(matcher(globs));',
    replace: 'const touched: string[] = [];',
    why: 'an agent would rewrite the tests that judge it, unseen',
    caughtBy: unit('src/git/findings.test.ts'),
  },
  {
    id: 'protected-goes-on',
    file: 'src/domain/run/turn.ts',
    find: '  if (touched !== null) return protectedChanged(',
    replace: '  if (touched !== null && then.commit === null) return protectedChanged(',
    why: 'changed tests would judge the work that changed them',
    caughtBy: unit('src/domain/run/recovery.test.ts'),
  },
  {
    id: 'changed-check-passes',
    file: 'src/domain/run/verdict.ts',
    find: 'if (changed.length === 0) {',
    replace: 'if (changed.length >= 0) {',
    why: 'a check that the work itself rewrote would complete the run',
    caughtBy: {
      ...unit('src/domain/run/check-changed.test.ts'),
      says: 'complete, not needs_operator',
    },
  },
  {
    id: 'fenced-tree-entered',
    file: 'src/git/records.ts',
    find: 'overtakenBy !== undefined || quarantinedFor !== undefined;',
    replace: "overtakenBy !== undefined || quarantinedFor === ('' as ExecutionId);",
    why: 'what a lost execution wrote after its loss would become part of the run',
    caughtBy: unit('src/git/open-tree.test.ts'),
  },
  {
    id: 'fenced-tree-not-marked',
    file: 'src/host/lane-host.ts',
    find: '    await options.workspace.quarantine(tree.directory, dispatch.execution);',
    replace: '    await Promise.resolve();',
    why: 'a later attempt on the same machine would go on in the tree of a lost one',
    caughtBy: unit('src/host/lane-host.test.ts'),
  },
  {
    id: 'refused-seal-tree-not-marked',
    file: 'src/main/worker-hosts.ts',
    find: "  if (!answer.ok && tree?.isolation === 'worktree') await quarantine(tree.directory, execution);",
    replace: '  if (tree?.directory === undefined) return;',
    why: 'a tree whose seal came too late would be entered again',
    caughtBy: unit('src/main/worker-hosts.test.ts'),
  },
];
