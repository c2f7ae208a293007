const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * Decodes base64 (RFC 4648 §4) without a platform, since the pure layers have none; what is no
 * letter of it, padding too, is passed over.
 */
export function fromBase64(text: string): Uint8Array {
  const sextets = [...text].map((letter) => alphabet.indexOf(letter)).filter((value) => value >= 0);
  const bytes = new Uint8Array(Math.floor((sextets.length * 6) / 8));
  for (let at = 0; at < bytes.length; at += 1) {
    const first = Math.floor((at * 8) / 6);
    const shift = (at * 8) % 6;
    const pair = ((sextets[first] ?? 0) << 6) | (sextets[first + 1] ?? 0);
    bytes[at] = (pair >> (4 - shift)) & 0xff;
  }
  return bytes;
}
