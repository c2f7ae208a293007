/** Most attempts that a run may be given at once: by its definition, or by a grant (UX 4.4). */
export const attemptsMost = 100;
