/**
 * Versions of the tools that setup names; asked once per tool file, since asking costs a process.
 */
import { realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const known: ReadonlySet<string> = new Set([
  ...['node', 'npm', 'npx', 'pnpm', 'yarn', 'bun', 'deno', 'corepack'],
  ...['python', 'python3', 'pip', 'pip3', 'uv', 'poetry', 'pipenv'],
  ...['cargo', 'rustc', 'go', 'ruby', 'bundle', 'php', 'composer', 'java', 'mvn', 'gradle'],
  ...['dotnet', 'mix', 'elixir', 'make', 'just'],
]);
const onNode: ReadonlySet<string> = new Set(['npm', 'npx', 'pnpm', 'yarn', 'corepack']);

export interface ToolFile {
  readonly name: string;
  /** Resolved path with size and mtime: another version is another file. */
  readonly print: string;
}

/** The known tools among the words of the command, with `node` where one of them runs on it. */
export function toolsNamed(command: string, path: string): readonly ToolFile[] {
  const names = new Set(command.split(/[^\w.-]+/).filter((word) => known.has(word)));
  if ([...names].some((name) => onNode.has(name))) names.add('node');
  return [...names].sort().flatMap((name) => {
    const file = locate(name, path);
    return file === null ? [] : [{ name, print: file }];
  });
}

/** The command that prints a tool's version in one line. */
export function versionCommand(name: string): string {
  return name === 'go' ? 'go version' : `${name} --version`;
}

function locate(name: string, path: string): string | null {
  for (const folder of path.split(delimiter)) {
    if (folder === '') continue;
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats?.isFile() === true) {
      return `${realpathSync(join(folder, name))} ${stats.size} ${Math.round(stats.mtimeMs)}`;
    }
  }
  return null;
}
