/** The part of `error-meanings.ts` about servers and what calls them. */
import type { ErrorCode } from './error-codes.ts';
import type { ErrorMeaning } from './error-meaning.ts';

export const serverMeanings = {
  artifact_missing: {
    means: 'No artifact of that digest is in this store: it was pruned, or never made.',
    remedy: 'See which the run refers to: `pawl show <run> --events`.',
  },
  body_too_large: {
    means: 'The body of a request is larger than the operation takes. Nothing of it was kept.',
    remedy: 'Send less: `allowed` is the limit.',
  },
  body_type: {
    means:
      'A request came with a body that is not declared as JSON. Forms and plain text, which a page of another site can send unasked, are not read at all.',
    remedy:
      'Send JSON, and say so by the header `content-type: application/json`; what each operation takes is described at `/openapi.json`.',
  },
  copy_refused: {
    means:
      'The store of this machine is copied only while nobody works on it, only when all of its chains are whole and every byte of its artifacts is there, and only into a database without a row. Something of that is not so; the message says what. The file was not changed, and nothing can be seen in the database.',
    remedy:
      'Let runs end, or pause them; name an empty database; look at the chains with `pawl audit verify`; bring artifacts that are named back from a backup. Then copy again: `pawl db copy --to postgres://pawl@db.example/pawl`.',
  },
  host_refused: {
    means:
      'A request names a host that this server does not go by. A page of the web can make a browser call a server of your machine under a name of its own; so only known names are answered.',
    remedy:
      'Call it by its address or by a name of its certificate, or start it with the name that you call it by: `pawl serve --host pawl.example`.',
  },
  listen_failed: {
    means: 'The system does not let this process listen at that address.',
    remedy: 'Read what was found and give another: `pawl serve --listen 127.0.0.1:7295`.',
  },
  listen_insecure: {
    means:
      'The address can be reached from other machines, and nothing would be encrypted: tokens, prompts and work could be read on the way.',
    remedy:
      'Give a certificate: `pawl serve --listen 0.0.0.0:7295 --tls-cert cert.pem --tls-key key.pem`. Behind a proxy that encrypts, or in a network that is safe, say so: `--insecure`.',
  },
  not_remote: {
    means:
      'The command is about this machine (its files, its service, its keys), so a server cannot do it.',
    remedy: 'Type it without `--server`, or on the machine of the server.',
  },
  origin_refused: {
    means:
      'A page of another site called this server from a browser. That is refused whatever the page wants.',
    remedy: 'Call it from a program, or from a page of this server.',
  },
  outcome_unknown: {
    means:
      'The connection broke after a command was sent and before it was answered, or the server was started anew meanwhile: it may have been done, or not. It was not sent again, since it might be done twice.',
    remedy: 'Look first: `pawl status`; then type it again if it was not done.',
  },
  port_taken: {
    means: 'Another process listens at that port, often another server of pawl.',
    remedy: 'Stop that one, or take a free port: `pawl serve --listen 127.0.0.1:0`.',
  },
  project_elsewhere: {
    means:
      'The run is about a project that the server does not have at that path; it would find nothing to work on or to land into.',
    remedy:
      'Clone the project on the machine of the server at the same path and start it there, or leave out `--server`.',
  },
  request_invalid: {
    means: 'What came in is no HTTP request that could be read, or its JSON is broken.',
    remedy: 'Correct the request; the description of all of them is at `/openapi.json`.',
  },
  request_timeout: {
    means: 'A request did not arrive whole in time.',
    remedy: 'Send it at once; a slow network may need a smaller request.',
  },
  server_draining: {
    means: 'The server takes no new work, because it was asked to leave.',
    remedy: 'Send it to another server of the same database, or when a new one has started.',
  },
  server_full: {
    means: 'As many followers are connected as the server takes.',
    remedy: 'End some of them, or ask another server of the same database.',
  },
  server_insecure: {
    means:
      'The address of the server is on another machine and begins with http://: the operator token, prompts and work could be read on the way. Nothing was sent.',
    remedy:
      'Give the server a certificate and ask it by https://. Where something else encrypts (a tunnel, a private network), say so: `PAWL_SERVER_INSECURE=1`.',
  },
  server_unlike: {
    means: 'The answer of the server is not one that this version understands.',
    remedy: 'Use the same version on both sides: `pawl --version`. Is it a server of pawl at all?',
  },
  server_unreachable: {
    means: 'Nothing answers at the address of the server, or the connection broke.',
    remedy: 'Start it there: `pawl serve`. Without `--server` the store of this machine is used.',
  },
  token_missing: {
    means: 'Every call of a server needs an operator token, and none was sent.',
    remedy:
      'Make one in a terminal where the server runs: `pawl operator token --for 8h`. Set `PAWL_OPERATOR_TOKEN` where you type. On the machine of the server the command line does it by itself.',
  },
  token_refused: {
    means:
      'The token that was sent is not known to this server, was revoked, or has expired. Nothing is told of which it would take.',
    remedy: 'Make another where the server runs: `pawl operator token`.',
  },
  unknown_endpoint: {
    means: 'The server has nothing at that path, or not by that method.',
    remedy: 'All that it has is described at `/openapi.json`.',
  },
} as const satisfies Readonly<Partial<Record<ErrorCode, ErrorMeaning>>>;
