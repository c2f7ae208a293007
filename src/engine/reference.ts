/** How a person names a run: a prefix of its id, its name, or `@last`. */
import type { RunId } from '../domain/ids.ts';
import { RequestError } from '../kernel/errors.ts';
import type { RunReference } from '../ports/client.ts';
import type { ArchivedStream, RunRow, Store } from '../ports/store.ts';

const prefixMin = 3;
const shortMin = 4;
const candidatesMax = 200;
const shownMax = 10;

type Runs = Pick<Store, 'runs' | 'archivedRuns'>;

/** @throws RequestError `run_not_found`, `run_archived`, `ambiguous_run` with the candidates. */
export async function findRun(store: Runs, reference: RunReference): Promise<RunRow> {
  const { text, project } = reference;
  const within = project === null ? {} : { project };
  const found =
    text === '@last'
      ? newest(await store.runs({ ...within, limit: candidatesMax }))
      : await matching(store, reference);
  const [only, ...others] = found;
  if (only === undefined) {
    const [archived] = await store.archivedRuns(text, 1);
    if (archived !== undefined) throw runArchived(archived);
    const where = project === null ? 'in this store' : `in this store (project ${project})`;
    throw new RequestError('run_not_found', `no run ${text} ${where}`, { found: text });
  }
  if (others.length === 0) return only;
  const shown = await Promise.all(found.slice(0, shownMax).map((row) => called(store, row)));
  throw new RequestError('ambiguous_run', `${text} names ${found.length} runs`, {
    found: text,
    allowed: shown.join(', '),
    facts: { candidates: found.map(({ id }) => id) },
  });
}

function runArchived({ run, archive, at }: ArchivedStream): RequestError {
  const when = at === null ? '' : ` at ${at}`;
  return new RequestError('run_archived', `${run} has left the store`, {
    found: `archived${when} as ${archive}`,
    next: `pawl artifact get ${archive} --out ${run}.jsonl`,
    facts: { run, archive, archivedAt: at },
  });
}

const called = async (store: Pick<Store, 'runs'>, { id, name }: RunRow): Promise<string> =>
  `${await shortOf(store, id)} ${name}`;

function newest(rows: readonly RunRow[]): readonly RunRow[] {
  const [first, ...rest] = rows;
  if (first === undefined) return [];
  return [rest.reduce((last, row) => (row.createdAt >= last.createdAt ? row : last), first)];
}

/** A whole id wins over a name, a name in the project over one elsewhere, a name over a prefix. */
async function matching(store: Runs, { text, project }: RunReference): Promise<readonly RunRow[]> {
  const rows = await store.runs({ match: text, limit: candidatesMax });
  const here = ({ project: root }: RunRow) => project === null || root === project;
  const exact = rows.filter(({ id }) => id === text);
  if (exact.length > 0) return exact;
  const named = rows.filter(({ name }) => name === text);
  const namedHere = named.filter(here);
  if (namedHere.length > 0) return namedHere;
  if (named.length > 0) return named;
  // An id is found wherever it is: ids are of the store, not of a project.
  return text.length < prefixMin ? [] : rows.filter(({ id }) => id.startsWith(text));
}

/**
 * The shortest prefix of the id, of at least four characters, that no other run of the store has.
 */
export async function shortOf(store: Pick<Store, 'runs'>, id: RunId): Promise<string> {
  const rows = await store.runs({ match: id.slice(0, shortMin), limit: candidatesMax });
  const others = rows.map((row) => row.id).filter((other) => other !== id);
  for (let length = shortMin; length < id.length; length += 1) {
    const prefix = id.slice(0, length);
    if (!others.some((other) => other.startsWith(prefix))) return prefix;
  }
  return id;
}
