/** `terminal-runner.js <columns> <rows> <argv…>`: runs a lane's program in a pseudo terminal. */
import { runInTerminal } from '../host/terminal/runner.ts';

const [, , columns = '', rows = '', ...argv] = process.argv;
runInTerminal({
  argv,
  size: { columns: Number(columns), rows: Number(rows) },
  env: process.env,
});
