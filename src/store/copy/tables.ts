/**
 * What is copied from a file to a database, table by table, column by column; a test holds it to
 * the tables of both. Left out: `drivers` and `leases`, which are of processes that do not come
 * along, and `artifacts`, whose rows follow from the bytes that are put.
 */
export type ColumnKind = 'int' | 'real' | 'text' | 'blob';

export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, kind: ColumnKind])[];
  /** By which it is read in pages. */
  readonly key: readonly string[];
  /** The column that the database numbers by itself from now on. */
  readonly serial: string | null;
}

export const leftOut: readonly string[] = ['drivers', 'leases', 'artifacts'];

type More = Partial<Pick<CopiedTable, 'key' | 'serial'>>;

/** Unless told, rows come in the order in which the file numbers them. */
const table = (name: string, columns: string, more: More = {}): CopiedTable => ({
  name,
  columns: columns.split(',').map((column) => {
    const [of = '', kind = ''] = column.trim().split(' ');
    return [of, kind as ColumnKind] as const;
  }),
  key: ['rowid'],
  serial: null,
  ...more,
});

export const copiedTables: readonly CopiedTable[] = [
  table('meta', 'key text, value text', { key: ['key'] }),
  table('streams', 'seq int, stream text, previous text, hash blob'),
  table(
    'runs',
    `seq int, id text, name text, project text, kind text, status text, phase text,
    disposition text, reason text, version int, head blob, definition text, created_at int,
    updated_at int, state text`,
  ),
  table(
    'events',
    `position int, stream int, version int, type text, format int, actor text, at int, data text,
    salt blob, data_hash blob, hash blob`,
    { serial: 'position' },
  ),
  table(
    'executions',
    `seq int, id text, dispatch_id text, run int, job_key text, role text, attempt int, no int,
    status text, class text, worker text, implementation text, request text, result text,
    priority int, fence int, offered_until int, created_at int, job text`,
    { serial: 'seq' },
  ),
  table('checkpoints', 'position int, run int, key int, format int, body text', {
    serial: 'position',
  }),
  table('timers', 'stream int, kind text, generation int, due_at int', { key: ['stream', 'kind'] }),
  table(
    'approvals',
    `seq int, id text, run int, execution text, kind text, args_digest text, tool_digest text,
    policy_digest text, asked_at int, expires_at int, outcome text, resolved_by text, channel text,
    resolved_at int`,
    { serial: 'seq' },
  ),
  table(
    'tool_calls',
    `key blob, run int, execution int, server text, tool text, args_hash blob, n int, class text,
    state text, task_id text, outcome text, delivered_at int, expires_at int`,
  ),
  table('budgets', 'scope text, unit text, ceiling real, spent real, reserved real', {
    key: ['scope', 'unit'],
  }),
  table('artifact_refs', 'owner int, name text, digest blob'),
  table(
    'evidence',
    `id int, execution text, verb text, reason text, grant_presented text, digest text, at int,
    n int`,
    { serial: 'id' },
  ),
  table('workers', 'id text, public_key text, labels text, slots int, seen_at int, state text'),
  table(
    'loops',
    `seq int, id text, name text, project text, status text, reason text, version int, head blob,
    next_at int, created_at int, updated_at int, state text`,
    { serial: 'seq' },
  ),
  table(
    'tasks',
    `seq int, id text, loop int, project text, phase text, version int, head blob, created_at int,
    updated_at int, state text`,
    { serial: 'seq' },
  ),
  table('fires', 'loop int, planned_at int, fired_at int, outcome text'),
];
