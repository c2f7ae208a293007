/**
 * A run on a terminal: the header, finished lines that stay, and a small block that is redrawn. Of
 * the keys it answers those that only change what is shown (UX 3.2); the others end or pause.
 */
import type { Context } from './command.ts';
import type { Standing } from './ending.ts';
import { factDetail } from './fact-detail.ts';
import { clock } from './format.ts';
import { greenNews } from './green-news.ts';
import { laneTail } from './lane-tail.ts';
import { openScreen } from './screen.ts';
import type { Teller, ViewOptions } from './teller.ts';
import { wrap } from './text.ts';
import { blockLines, laneLine, type Now } from './views/block.ts';
import { factOf } from './views/fact.ts';
import { headerLines } from './views/header.ts';
import { finishedLines, narrowColumns } from './views/lines.ts';

const keysShown = 'd detach · p pause · l log · ? keys';
/** Under the words of a message: its labels take 15 columns. */
const newsIndent = ' '.repeat(15);
const keysHelp = [
  '  d   detach: the run goes on without this view',
  '  p   pause after the turn; Ctrl-C once more ends the turn now',
  '  l   every line of the lane, or its last three',
  '  a   the approval that waits for you',
  '  u   address of the operator UI',
];

export function screenTeller(context: Context, options: ViewOptions): Teller {
  const { io } = context;
  const screen = openScreen(io, context.style);
  const lane = laneTail(context, options.client);
  const look = { context, client: options.client, files: true };
  const at = (instant: number): string => clock(io, instant);
  let scene: Omit<Now, 'columns' | 'now'> | null = null;
  let isLog = false;
  const draw = (isUrgent: boolean): void => {
    if (scene === null) return;
    const now = { ...scene, now: io.now(), columns: screen.columns() };
    screen.block(blockLines(now), isUrgent);
  };
  const undoResize = io.onResize(() => draw(true));
  return {
    begin: ({ view, definition }) => {
      screen.finish(
        context.isQuiet ? [] : headerLines(view, definition, options.notes, screen.columns()),
      );
      return true;
    },
    tell: async (events, standing) => {
      for (const stored of events) {
        const detail = await factDetail(look, stored, standing);
        const line = factOf(stored, { ...standing, at, detail })?.line ?? null;
        if (line !== null) screen.finish(finishedLines(line, screen.columns()));
        screen.finish(
          greenNews(stored, standing).flatMap((said) => wrap(said, screen.columns(), newsIndent)),
        );
      }
      const { newest, fresh } = await lane(standing);
      const columns = screen.columns();
      if (isLog && columns >= narrowColumns) {
        screen.finish(fresh.map((line) => laneLine(line, columns)));
      }
      const laneLines = isLog ? [] : newest;
      scene = { ...standing, at, laneLines, keys: keysShown, called: context.called };
      draw(events.length > 0);
      return true;
    },
    key: (key) => {
      if (key === 'l') isLog = !isLog;
      const said = scene === null ? [] : keyLines(key, { view: scene.view, isLog, context });
      screen.finish(said);
    },
    say: (line) => screen.finish([line]),
    close: () => {
      undoResize();
      screen.close();
    },
  };
}

function keyLines(
  key: string,
  {
    view,
    isLog,
    context,
  }: { readonly isLog: boolean; readonly context: Context } & Pick<Standing, 'view'>,
): readonly string[] {
  switch (key) {
    case '?':
      return keysHelp;
    case 'l':
      return [isLog ? '  log: every line of the lane from here on' : '  log: the last three lines'];
    case 'a':
      return view.gate === null
        ? ['  nothing waits for your approval']
        : [`  ${context.called} approve ${view.short}`];
    case 'u':
      return ['  no operator UI is running'];
    default:
      return [];
  }
}
