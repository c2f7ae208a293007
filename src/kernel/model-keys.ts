/** The variables that agents read keys of model services from; the same words name the secrets. */
export const modelKeys = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
] as const;
export type ModelKey = (typeof modelKeys)[number];

/** The variables that agents read addresses of model services from. */
export const modelAddresses = [
  'ANTHROPIC_BASE_URL',
  'OPENAI_BASE_URL',
  'GOOGLE_GEMINI_BASE_URL',
] as const;
