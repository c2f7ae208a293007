/** What `pawl demo` says around its run (UX 1.1). Pure. */
import { widthOf, wrap } from '../text.ts';
import { labelColumns } from './page.ts';

export interface DemoPage {
  readonly directory: string;
  readonly check: string;
  readonly called: string;
  readonly columns: number;
}

export function demoLines({ directory, check, called, columns }: DemoPage): string[] {
  const kept = `(kept; remove it with: ${called} demo --clean)`;
  return [
    ...wrap(
      'pawl demo: a small project with a real bug, and a repair agent that uses no model',
      columns,
    ),
    ...beside(`project   ${directory}/`, kept, columns),
    `check     ${check}`,
    '',
  ];
}

/** Below the final block: what else there is to see. */
export function crashLines(called: string, columns: number): string[] {
  const says = 'the same, killed with -9 in the middle and carried on';
  return beside(`             ${called} demo --crash`, says, columns);
}

/** A path or a command is never cut: what does not fit stands below. */
function beside(left: string, right: string, columns: number): string[] {
  const line = `${left}       ${right}`;
  if (widthOf(line) <= columns) return [line];
  const indent = ' '.repeat(left.length - left.trimStart().length || labelColumns);
  return [left, ...wrap(right, columns - indent.length).map((below) => indent + below)];
}
