/** The variables that agents read keys of model services from; the same words name the secrets. */
export const modelKeys = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
] as const;
export type ModelKey = (typeof modelKeys)[number];
