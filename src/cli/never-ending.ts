/** Whether what a check or setup came to says that it did not end in its time (L-D15). */
export const hadNoEnd = (found: string): boolean =>
  /(?:^|: )(?:deadline|no end within)\b/.test(found);

export const oneShot = 'the form that ends by itself (no watch mode), or a longer timeout';
