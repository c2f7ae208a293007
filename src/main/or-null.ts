/** What the file system answers; null where it refuses: unreadable is as good as absent. */
export async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
