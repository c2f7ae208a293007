/**
 * Why there is no connection, where that is no absent server: somebody answers, but not so that
 * anything may be said to it. By the code that Node gives.
 */
export interface ConnectionTrouble {
  readonly what: string;
  readonly next: string;
}

const untrusted: ConnectionTrouble = {
  what: 'its certificate is not trusted here',
  next: 'Name the file of its certificate, or of who signed it: NODE_EXTRA_CA_CERTS=<file> pawl …',
};
const outdated: ConnectionTrouble = {
  what: 'its certificate is not valid now',
  next: 'Give the server a valid certificate (pawl serve --tls-cert <file> --tls-key <file>), or see to the clock here.',
};
const otherScheme: ConnectionTrouble = {
  what: 'what answers speaks no TLS, or no HTTP',
  next: 'Look at the address: http:// or https://, and the port.',
};

const troubles: Readonly<Record<string, ConnectionTrouble>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_HAS_EXPIRED: outdated,
  CERT_NOT_YET_VALID: outdated,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    what: 'its certificate is for another name',
    next: 'Call it by a name that its certificate has.',
  },
  EPROTO: otherScheme,
  ERR_SSL_WRONG_VERSION_NUMBER: otherScheme,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: otherScheme,
  HPE_INVALID_CONSTANT: otherScheme,
  ERR_INVALID_CHAR: {
    what: 'the token holds characters that no token has',
    next: 'Set PAWL_OPERATOR_TOKEN as it was printed, without quotes or line breaks.',
  },
};

/** Null: it is none of these. */
export const connectionTrouble = (code: string): ConnectionTrouble | null =>
  Object.hasOwn(troubles, code) ? (troubles[code] ?? null) : null;
