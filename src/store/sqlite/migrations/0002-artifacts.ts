/**
 * Format 2 has a file's tables of format 1: its artifacts lie on the disk beside it. What changed
 * is that seals are attested, and that an older program would hand in some that are not.
 */
export const artifacts = `
-- nothing to change
`;
