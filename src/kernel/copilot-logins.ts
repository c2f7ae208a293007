/** Variables by which GitHub Copilot CLI is logged in without anything that lies in a home. */
export const copilotLogins = [
  'COPILOT_GITHUB_TOKEN',
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'COPILOT_PROVIDER_BASE_URL',
] as const;
