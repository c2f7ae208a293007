import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('a machine without the tools of a rung is told at once, and nobody lingers over the missing ones', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-probe-'));
  try {
    const outfile = join(folder, 'probe.mjs');
    const contents = `import { probeLadder } from ${JSON.stringify(join(import.meta.dirname, 'probe.ts'))};
      const offer = await probeLadder(${JSON.stringify(join(folder, 'state'))}, '/none', '/none');
      process.stdout.write(JSON.stringify({ offer, left: process.getActiveResourcesInfo() }));`;
    const stdin = { contents, resolveDir: import.meta.dirname, loader: 'ts' } as const;
    await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm' });
    const said = await new Promise<string>((resolve, reject) =>
      execFile(process.execPath, [outfile], (error, stdout) =>
        error === null ? resolve(stdout) : reject(error),
      ),
    );
    const { offer, left } = JSON.parse(said);
    expect(offer.rungs.at(-1)).toBe('none');
    expect(offer.guard).toBe(false);
    expect(left.filter((kind: string) => kind === 'Timeout')).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
