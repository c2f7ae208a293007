/** Keeping this machine from going to sleep by itself (UX 3.2). */
export interface WakeLock {
  /** Never rejects. It is let go of at the latest when this process ends, however it ends. */
  hold(why: string): Promise<Held>;
}

export type Held =
  | { readonly held: true; readonly by: string; release(): Promise<void> }
  | { readonly held: false; readonly why: string };
