/** What a statement of ours is called, whatever it states. */
export const statementType = 'https://in-toto.io/Statement/v1';
export const payloadType = 'application/vnd.in-toto+json';
