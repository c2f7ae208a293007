export interface Later {
  /** The program that is typed; its siblings lie beside it. */
  readonly program: string;
  /** Of the store, here and there. */
  readonly formats: { readonly now: number; readonly later: number };
}

export function buildLater(folder: string): Promise<Later>;
