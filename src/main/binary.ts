/**
 * The `pawl` command. `pawl status` is typed most and must answer at once: it has a file of its
 * own, made of the same sources, which loads nothing that the page does not need; the rest is in
 * `pawl.js`. This file is CommonJS, since a module alone would wait for Node's module loader.
 */
if (process.argv[2] === 'status') require('./status.ts');
else void import('./pawl.ts');
