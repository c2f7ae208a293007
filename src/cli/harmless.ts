import { clean } from './text.ts';

/** Without escape sequences and control characters; tabs and line ends stay. */
export const harmless = (text: string): string => text.split('\t').map(clean).join('\t');
