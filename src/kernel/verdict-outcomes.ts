/** What a verdict may be, as it stands in receipts and in messages. */
export const verdictOutcomes = [
  'passed',
  'failed',
  'missing_evidence',
  'verifier_unavailable',
  'unparseable',
  'indeterminate',
] as const;
