/** The first word of every command, without loading one; a test holds it to the table. */
export const verbs: readonly string[] = [
  ...['init', 'run', 'demo', 'status', 'list', 'show', 'watch', 'wait', 'logs'],
  ...['attach', 'diff', 'path'],
  ...['approve', 'reject', 'answer', 'resume', 'consult', 'accept', 'land', 'prune'],
  ...['hint', 'pause', 'cancel', 'retry'],
  ...['checks', 'config', 'audit', 'artifact', 'db', 'doctor', 'service', 'serve', 'operator'],
  ...['worker', 'completion', 'help'],
];
