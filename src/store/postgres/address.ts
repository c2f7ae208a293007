/** The address of a database as it may be shown: no password, wherever it stands. */
export function shownAddress(address: string): string {
  if (!URL.canParse(address)) return 'postgres://…';
  const url = new URL(address);
  url.password = '';
  for (const name of [...url.searchParams.keys()]) {
    if (/pass/i.test(name)) url.searchParams.delete(name);
  }
  return url.href;
}
