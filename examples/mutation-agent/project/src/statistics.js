/** Small statistics over lists of numbers. An empty list has none: it throws. */

function sorted(values) {
  return [...values].sort((a, b) => a - b);
}

function demandSome(values) {
  if (values.length === 0) throw new RangeError('statistics of an empty list');
}

export function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

export function mean(values) {
  demandSome(values);
  return sum(values) / values.length;
}

export function range(values) {
  demandSome(values);
  return Math.max(...values) - Math.min(...values);
}

export function median(values) {
  demandSome(values);
  const ordered = sorted(values);
  const middle = Math.floor(ordered.length / 2);
  if (ordered.length % 2 === 1) return ordered[middle];
  return (ordered[middle] + ordered[middle + 1]) / 2;
}

export function variance(values) {
  const average = mean(values);
  return mean(values.map((value) => (value - average) ** 2));
}
