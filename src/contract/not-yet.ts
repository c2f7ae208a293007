/**
 * What UX §4 names and this version does not honour: refused by name, never parsed and ignored.
 * A path is dotted, `*` stands for any one key.
 */
const keys = new Set([
  'brakes.maxIterations',
  'brakes.scorePlateauWindow',
  'contextProbe',
  'lane',
  'mcp',
  'policy',
  'roles.*.tier',
  'roles.*.tools',
  'roles.plan',
  'workspace.dir',
  'workspace.reuse',
]);

const values: Readonly<Record<string, readonly string[]>> = {
  'brakes.steps': ['*'],
  'ceilings.steps': ['*'],
  'land.when': ['verified'],
  strategy: ['plan'],
};

export function isKeyOfLater(path: readonly string[]): boolean {
  return keys.has(path.join('.')) || keys.has(wild(path));
}

export function isValueOfLater(path: readonly string[], value: unknown): boolean {
  const later = values[path.join('.')] ?? values[wild(path)];
  return later !== undefined && (later.includes('*') || later.includes(String(value)));
}

function wild(path: readonly string[]): string {
  return path.length < 2 ? path.join('.') : [path[0], '*', ...path.slice(2)].join('.');
}
