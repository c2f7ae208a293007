/**
 * What the next attempt is told about the former ones (EV-43): compact, and bounded whatever their
 * number. The first line names what it is; the newest attempts are kept when not all fit.
 */
import { clip, clipLine } from '../../kernel/text.ts';

export interface HistoryEntry {
  readonly n: number;
  readonly passed: boolean;
  readonly reason: string;
  /** Paths or ids that a reader may open. */
  readonly artifacts: readonly string[];
}

const entriesMax = 20;
const reasonMax = 1_000;
const artifactsMax = 10;
const artifactMax = 200;

/** '' when there is none; else at most about 65,000 characters. */
export function compactHistory(attempts: readonly HistoryEntry[]): string {
  if (attempts.length === 0) return '';
  const shown = attempts.slice(-entriesMax);
  const hidden = attempts.length - shown.length;
  const omitted =
    hidden > 0 ? [`(${hidden} earlier ${hidden === 1 ? 'attempt' : 'attempts'} left out)`] : [];
  return `${['# Loop Attempt History', ...omitted, ...shown.map(line)].join('\n')}\n`;
}

function line({ n, passed, reason, artifacts }: HistoryEntry): string {
  const verdict = passed ? 'PASS' : `FAIL: ${clipLine(reason, reasonMax)}`;
  if (artifacts.length === 0) return `[Attempt ${n}] ${verdict}`;
  const named = artifacts.slice(0, artifactsMax).map((name) => clip(name, artifactMax));
  const more = artifacts.length - named.length;
  const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return `[Attempt ${n}] ${verdict} → artifacts: ${list}`;
}
