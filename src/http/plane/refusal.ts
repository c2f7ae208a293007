/** How a handler of the plane refuses: by code alone; the text is the contract's. */
import { isRefusalCode, type PlaneRefusalCode } from '../../contract/plane-refusals.ts';

export class PlaneRefusal extends Error {
  readonly code: PlaneRefusalCode;
  /** The engine has kept it as evidence already. */
  readonly isKept: boolean;

  constructor(code: PlaneRefusalCode, isKept = false) {
    super(code);
    this.name = 'PlaneRefusal';
    this.code = code;
    this.isKept = isKept;
  }
}

/** What the engine says, in the words of the wire; what has none there is out of order. */
export function codeOf(reason: string, otherwise: PlaneRefusalCode): PlaneRefusalCode {
  return isRefusalCode(reason) ? reason : otherwise;
}
