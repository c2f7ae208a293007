/**
 * Goal: the pages say what the specification says, none is wider than the terminal, and what colour
 * or a sign says a word says too.
 * Method: every page at 60, 100 and 160 columns, with and without colour and UTF-8, one golden file
 * for each page. Renewed by `npm run test:golden -- -u`, and then read.
 */
import { expect, test } from 'vitest';
import { escalationPages } from '../../../test/support/example-escalations.ts';
import { pages } from '../../../test/support/example-pages.ts';
import { setupPages } from '../../../test/support/example-setup-pages.ts';
import { paint } from '../style.ts';
import { widthOf } from '../text.ts';

const widths = [60, 100, 160] as const;
const looks = [
  { title: '', isColored: false, isUtf8: true },
  { title: ', colour', isColored: true, isUtf8: true },
  { title: ', ASCII', isColored: false, isUtf8: false },
  { title: ', colour, ASCII', isColored: true, isUtf8: false },
] as const;
const variants = widths.flatMap((columns) => looks.map((look) => ({ ...look, columns })));
const all = { ...pages, ...escalationPages, ...setupPages };

test.each(Object.entries(all))('%s', async (name, page) => {
  const sections = variants.map((style) => {
    // As on a terminal: words are wider than signs, so that such a page is laid out narrower.
    const room = style.columns - (style.isUtf8 ? 0 : 2);
    const lines = page(room).map((line) => paint(line, style));
    for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(style.columns);
    if (!style.isUtf8) expect(lines.join('\n')).toMatch(/^[\n\u0020-\u007e\u001b]*$/);
    const shown = lines.map((line) => line.replaceAll('\u001b', '␛'));
    return [`=== ${style.columns} columns${style.title}`, ...shown, ''].join('\n');
  });
  await expect(sections.join('\n')).toMatchFileSnapshot(`../../../test/golden/cli/${name}.txt`);
});
