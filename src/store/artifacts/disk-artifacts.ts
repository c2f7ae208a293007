import type { Artifacts } from '../../ports/artifacts.ts';

export interface DiskArtifactsOptions {
  readonly directory: string;
}

export function diskArtifacts(options: DiskArtifactsOptions): Artifacts {
  throw new Error(`being written: ${options.directory}`);
}
