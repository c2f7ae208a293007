/**
 * Server-sent events out of a stream of bytes, whatever its chunk borders: the `data` of each
 * event. It only looks on: what it cannot hold it gives up on, and says so; the bytes themselves
 * take another way. Lines end with `\n` or `\r\n`; a lone `\r`, which no model API sends, is text.
 */

export interface EventReader {
  /** The data of the events that this chunk completes. */
  push(bytes: Uint8Array): readonly string[];
  /** The data of an event that the stream ended within, had it been complete. */
  end(): readonly string[];
  /** An event was too long to be held: from there on nothing is read. */
  gaveUp(): boolean;
}

/** In characters; the longest line measured is 2 MB. */
const eventCharsMax = 8 * 1024 * 1024;

export function eventReader(charsMax = eventCharsMax): EventReader {
  const decoder = new TextDecoder('utf-8');
  // Pieces, not one growing text: a line of many chunks would be copied again for each of them.
  let line: string[] = [];
  let lineChars = 0;
  let data: string[] = [];
  let dataChars = 0;
  let gaveUp = false;

  const completed = (): readonly string[] => {
    const event = data;
    data = [];
    dataChars = 0;
    return event.length === 0 ? [] : [event.join('\n')];
  };
  const endLine = (): readonly string[] => {
    const whole = line.join('').replace(/\r$/, '');
    line = [];
    lineChars = 0;
    if (whole === '') return completed();
    if (whole.startsWith('data:')) {
      data.push(whole.slice(whole[5] === ' ' ? 6 : 5));
      dataChars += whole.length;
    }
    return [];
  };
  const hold = (piece: string) => {
    line.push(piece);
    lineChars += piece.length;
    if (lineChars + dataChars <= charsMax) return;
    gaveUp = true;
    line = [];
    data = [];
  };
  const read = (text: string): readonly string[] => {
    const events: string[] = [];
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0 && !gaveUp; at = text.indexOf('\n', from)) {
      hold(text.slice(from, at));
      if (!gaveUp) events.push(...endLine());
      from = at + 1;
    }
    if (from < text.length && !gaveUp) hold(text.slice(from));
    return events;
  };
  return {
    push: (bytes) => (gaveUp ? [] : read(decoder.decode(bytes, { stream: true }))),
    end: () => (gaveUp ? [] : [...read(`${decoder.decode()}\n`), ...completed()]),
    gaveUp: () => gaveUp,
  };
}
