/** Longest pause between two looks at what the kernel will not announce. */
const pauseMsMax = 50;

/**
 * Looks until `holds` or the deadline; answers whether it holds. For facts of the process table,
 * which nobody announces to a process that is not the parent.
 */
export async function until(holds: () => boolean, msMax: number): Promise<boolean> {
  const end = performance.now() + msMax;
  for (let pause = 1; ; pause = Math.min(pause * 2, pauseMsMax)) {
    if (holds()) return true;
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
