/** What a column holds and a placeholder takes. */
export type SqlValue = null | number | string | Uint8Array;
/** Where the database knows arrays, a placeholder takes one. */
export type Bound = SqlValue | readonly string[] | readonly number[];

declare const rowShape: unique symbol;

/**
 * One operation: its text with `$n` placeholders, what they take (the tuple's labels say what) and
 * what a row looks like. The text is the same for every database unless its folder has its own.
 */
export interface Query<Values extends readonly Bound[], Row = never> {
  readonly text: string;
  readonly [rowShape]?: (values: Values) => Row;
}

export const query = <Values extends readonly Bound[], Row = never>(
  text: string,
): Query<Values, Row> => ({ text });
