/** Who issues a command, and through which channel (DESIGN §11a). */
export type PrincipalKind = 'human' | 'automation' | 'lane' | 'worker' | 'driver';

export interface Principal {
  readonly kind: PrincipalKind;
  /** A name for the record: login name, client id, execution id; at most 100 characters. */
  readonly actor: string;
  readonly channel: 'terminal' | 'token' | 'ui' | 'library' | 'plane' | 'driver';
  /** What was known about the ancestors of a terminal principal. */
  readonly ancestry: 'clean' | 'unknown' | 'lane' | 'agent' | null;
}
