/**
 * Format 2 has the tables of format 1: a file's artifacts lie on the disk beside it. Its number is
 * that of the database, where format 2 brought them in.
 */
export const artifacts = `
-- nothing to change
`;
