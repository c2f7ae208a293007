/** Gives the command line its world, and opens only what a command asks for. */
import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import type { CliOptions, WorkerMeans } from '../cli/composition.ts';
import { runCli } from '../cli/main.ts';
import { nodeIo } from '../cli/node-io.ts';
import type { Detection } from '../ports/detection.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import type { Workspace } from '../ports/workspace.ts';
import { reportBug } from './report-bug.ts';
import { type Surroundings, surroundings } from './surroundings.ts';

/** The folder of the shell can be gone (a pruned worktree); reading commands work all the same. */
function workingDirectory({ env, userHome }: Surroundings): string {
  try {
    return process.cwd();
  } catch (error: unknown) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    const named = env['PWD'];
    return named !== undefined && isAbsolute(named) ? named : userHome;
  }
}

/** `entry` is the `import.meta.url` of the program; `faults` is given by tests alone. */
export async function commandLine(entry: string, faults?: FaultPoints): Promise<number> {
  const around = surroundings(entry);
  const io = nodeIo(process);
  return await runCli({
    argv: process.argv.slice(2),
    env: around.env,
    cwd: workingDirectory(around),
    version: around.version,
    io,
    home: around.home,
    userConfigPath: around.userConfigPath,
    called: around.called,
    ...served(around, faults),
    workspace: () => workspace(around),
    detection: () => detection(around),
    tryBaseline: async (request) => {
      const { tryBaseline } = await import('./try-baseline.ts');
      return await tryBaseline(around, request);
    },
    make: {
      repository: async (directory) => {
        const { firstRepository } = await import('../git/first-commit.ts');
        await firstRepository(directory, around.env);
      },
      emptyCommit: async (root) => {
        const { emptyCommit } = await import('../git/first-commit.ts');
        await emptyCommit(root, around.env);
      },
    },
    operatorTokens: async () => {
      const { operatorTokens } = await import('./operator.ts');
      return operatorTokens(around);
    },
    health: async () => {
      const { systemHealth } = await import('./health.ts');
      return systemHealth(around);
    },
    probes: async () => {
      const { agentProbe } = await import('./probe/agent-probe.ts');
      return agentProbe(around);
    },
    storeAdmin: async (database) => {
      const { storeAdmin } = await import('./store-admin.ts');
      return storeAdmin(around, database);
    },
    trouble: async () => {
      const { storeTrouble } = await import('../host/store-trouble.ts');
      return storeTrouble(around.home);
    },
    service: async () => {
      const { machineDriverUnit } = await import('./driver-unit.ts');
      return machineDriverUnit(around);
    },
    worker: workerMeans(around),
    verifyReceipt: async (request) => {
      const { checkReceipt } = await import('./check-receipt.ts');
      return await checkReceipt(around, request);
    },
    demo: {
      examples: around.examples,
      node: process.execPath,
      temporary: around.temporary,
      makeRepository: async (directory) => {
        const { makeRepository } = await import('../git/make-repository.ts');
        await makeRepository(directory, around.env);
      },
      kill: (pid) => killQuietly(pid),
    },
    reportBug: (error) => reportBug(around, process.argv.slice(2), error),
  });
}

/** What differs where a server is asked, and the server itself. */
function served(
  around: Surroundings,
  faults?: FaultPoints,
): Pick<CliOptions, 'connect' | 'principal' | 'serve' | 'drain'> {
  return {
    connect: async (server) => {
      if (server !== null) {
        const { serverClient } = await import('./server-client.ts');
        return await serverClient(around, server);
      }
      const { connect } = await import('./connect.ts');
      return await connect(around, faults);
    },
    principal: async (server) => {
      if (server !== null) {
        const { serverPrincipal } = await import('./server-client.ts');
        return await serverPrincipal(around, server);
      }
      const { principalFacts } = await import('./operator.ts');
      return await principalFacts(around);
    },
    serve: async (request, told) => {
      const { serveProgram } = await import('./serve-program.ts');
      await serveProgram(around, request, told);
    },
    drain: async (server) => {
      const { drainServer } = await import('./server-client.ts');
      await drainServer(around, server);
    },
  };
}

function workerMeans(around: Surroundings): WorkerMeans {
  return {
    hostName: hostname(),
    registry: async () => {
      const { workerRegistry } = await import('./worker-registry.ts');
      return workerRegistry(around);
    },
    work: async (request, told) => {
      const { workerProgram } = await import('./worker-program.ts');
      await workerProgram(around, request, told);
    },
  };
}

async function detection(around: Surroundings): Promise<Detection> {
  const [{ detection: make }, { diskProjectFiles }, { pathPrograms }] = await Promise.all([
    import('../detect/detection.ts'),
    import('./project-files.ts'),
    import('./programs.ts'),
  ]);
  return make({
    files: diskProjectFiles(),
    programs: pathPrograms(around),
    home: around.userHome,
    platform: process.platform,
    env: around.env,
  });
}

async function workspace(around: Surroundings): Promise<Workspace> {
  const { gitWorkspace } = await import('../git/workspace.ts');
  return gitWorkspace({ home: around.home, env: around.env });
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error: unknown) {
    // Gone already: what was wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
