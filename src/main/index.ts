/** The library: the same client as the command line's, in your own process. */
import { ancestry } from '../host/ancestry.ts';
import type { Client } from '../ports/client.ts';
import { connect } from './connect.ts';
import { libraryClient } from './library-client.ts';
import { surroundings } from './surroundings.ts';

export type {
  Client,
  ListFilter,
  ResumeRequest,
  RunReference,
  RunView,
  StartRequest,
} from '../ports/client.ts';
export type { Definition, Principal } from '../ports/words.ts';
export {
  type JobBoard,
  type JobBoardOptions,
  type LoopCallbacks,
  openJobBoard,
  type TerminalJob,
  type TerminalStateListener,
} from './job-board.ts';

export interface OpenPawlOptions {
  /** Absolute; default `$PAWL_HOME`, else the user's state folder. */
  readonly home?: string;
}

/**
 * Opens the store (made when it is not there) and answers with the client; `close()` ends it. Every
 * command carries a principal, and a gate is lifted by a human alone: a program is `automation`,
 * whatever it says it is.
 * @throws RequestError when the folder cannot hold a store.
 */
export async function openPawl(options: OpenPawlOptions = {}): Promise<Client> {
  const around = surroundings(import.meta.url);
  const home = options.home === undefined ? around : { ...around, home: options.home };
  return libraryClient(await connect(home), ancestry(around.env));
}
