import { workerHostProgram } from './worker-host-program.ts';

await workerHostProgram(import.meta.url);
