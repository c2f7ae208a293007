/** The value of JSON text from outside; null for what is no JSON. Its shape is still unproven. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error: unknown) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
