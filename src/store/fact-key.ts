/** How the name of a fact stands in the table of `meta`, which it shares with the store's own. */
const prefix = 'fact:';

export const factKey = (name: string): string => `${prefix}${name}`;
export const factName = (key: string): string => key.slice(prefix.length);
