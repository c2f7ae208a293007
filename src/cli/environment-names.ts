/** Variables that are settings; `settings.ts` says which key each of them is. */
export const environmentNames = [
  'PAWL_AGENT',
  'PAWL_ATTEMPTS',
  'PAWL_BASELINE',
  'PAWL_CHECK',
  'PAWL_ISOLATION',
  'PAWL_MAX_COST',
  'PAWL_MAX_TIME',
  'PAWL_ON_LIMIT',
  'PAWL_PERMISSIONS',
  'PAWL_SETUP',
] as const;

export type EnvironmentName = (typeof environmentNames)[number];
