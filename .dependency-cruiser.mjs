/** The layers, inmost first. A layer imports only itself and the layers named after it here. */
export const layers = {
  kernel: [],
  domain: ['kernel'],
  contract: ['kernel'],
  ports: ['kernel', 'domain'],
  engine: ['kernel', 'domain', 'ports'],
  store: ['kernel', 'domain', 'ports'],
  host: ['kernel', 'ports', 'domain'],
  doors: ['kernel', 'domain', 'contract', 'ports'],
  git: ['kernel', 'ports'],
  agents: ['kernel', 'domain', 'ports'],
  verify: ['kernel', 'domain', 'contract', 'ports'],
  detect: ['kernel', 'contract', 'ports'],
  graph: ['kernel', 'contract'],
  schedule: ['kernel', 'domain', 'contract', 'ports'],
  notify: ['kernel', 'contract', 'ports'],
  observe: ['kernel', 'ports'],
  worker: ['kernel', 'domain', 'contract', 'ports'],
  mcp: ['kernel', 'contract', 'ports'],
  testing: ['kernel', 'domain', 'contract', 'ports'],
  http: ['kernel', 'contract', 'engine', 'ports'],
  cli: ['kernel', 'contract', 'ports'],
};
layers.main = Object.keys(layers);

const test = '[.](test|suite)[.]ts$';

const layering = Object.entries(layers).map(([name, allowed]) => ({
  name: `layer-${name}`,
  severity: 'error',
  comment: `src/${name} may import only: ${[name, ...allowed].join(', ')}`,
  from: { path: `^src/${name}/`, pathNot: test },
  to: { path: '^src/', pathNot: `^src/(${[name, ...allowed].join('|')})/` },
}));

const pure = ['kernel', 'domain', 'ports', 'engine'];
const drivers = {
  fastify: '^(src/http|test/support)/',
  jose: '^src/http/plane/',
  '@photostructure/sqlite': '^src/store/sqlite/',
  pg: '^(src/store/postgres|test)/',
  '@lydell/node-pty': '^(src/host/terminal|test)/',
  '@xterm/headless': '^(src/host/terminal|test)/',
};

export default {
  forbidden: [
    ...layering,
    {
      name: 'no-folder-outside-the-table',
      severity: 'error',
      comment: 'A new folder of src needs a row in the table of layers first.',
      from: { path: '^src/', pathNot: `^src/(${Object.keys(layers).join('|')})/` },
      to: {},
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'pure-layers-touch-no-world',
      severity: 'error',
      comment:
        'No Node built-in and no npm package inside the pure layers; ask for a port instead.',
      from: { path: `^src/(${pure.join('|')})/`, pathNot: test },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg'] },
    },
    ...Object.entries(drivers).map(([pkg, home]) => ({
      name: `only-home-imports-${pkg}`,
      severity: 'error',
      from: { pathNot: home },
      to: { path: `node_modules/${pkg}/` },
    })),
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: `${test}|[.]d[.]ts$` },
      to: {},
    },
    {
      name: 'shipped-code-imports-no-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: test },
      to: { path: `^test/|${test}` },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};
