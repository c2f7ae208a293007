const began = performance.now();

/** One line, with the seconds since the beginning. */
export function say(line) {
  const seconds = ((performance.now() - began) / 1_000).toFixed(1).padStart(6);
  process.stdout.write(`${seconds} s  ${line}\n`);
}
