/** Calls of one name one after the other; nothing is kept of a name that has none. */
export function turns(): <T>(name: string, call: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (name, call) => {
    const before = last.get(name) ?? Promise.resolve();
    const own = before.then(call);
    // The next in line waits for the end of this one, whichever way it ended.
    const settled = own.then(
      () => undefined,
      () => undefined,
    );
    last.set(name, settled);
    return own.finally(() => {
      if (last.get(name) === settled) last.delete(name);
    });
  };
}
