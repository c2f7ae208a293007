import { describe, expect, test } from 'vitest';
import { looked, noEvidence, type ProcessLook, toolChildSince, withBaseline } from './evidence.ts';
import { livenessDefaults as figures } from './figures.ts';

const process = (id: string, cpuTicks = 0, written: number | null = 0): ProcessLook => ({
  ...{ id, state: 'S', cpuTicks, written },
});
const look = (...processes: readonly ProcessLook[]) => ({ isRootAlive: true, processes });
const stopped = (id: string, state = 'T') => ({ ...process(id), state });

describe('evidence of processes (E1, E2, E3)', () => {
  test('what the first look finds has not grown', () => {
    const first = looked(noEvidence, look(process('a', 500, 500)), 0, figures);
    expect([first.lastCpuMs, first.lastOutputMs]).toEqual([null, null]);
  });
  test('without a baseline the whole tree counts, a new process with all that it has', () => {
    const first = looked(noEvidence, look(process('a', 500)), 0, figures);
    const second = looked(first, look(process('a', 510), process('b', 20)), 2_000, figures);
    expect(second.lastCpuMs).toBe(2_000);
    const idle = looked(first, look(process('a', 510), process('b', 19)), 2_000, figures);
    expect(idle.lastCpuMs).toBeNull();
  });
  test('without a baseline what is written says nothing', () => {
    const first = looked(noEvidence, look(process('a')), 0, figures);
    const second = looked(first, look(process('a', 0, 1_500)), 2_000, figures);
    expect(second.lastOutputMs).toBeNull();
  });
  test('with a baseline only what came later counts', () => {
    const first = withBaseline(looked(noEvidence, look(process('a')), 0, figures));
    const busy = looked(first, look(process('a', 900, 900), process('b', 9)), 2_000, figures);
    expect([busy.lastCpuMs, busy.lastOutputMs]).toEqual([null, null]);
    const more = looked(busy, look(process('a'), process('b', 10, 1)), 4_000, figures);
    expect([more.lastCpuMs, more.lastOutputMs]).toEqual([4_000, 4_000]);
  });
  test('a few ticks within ten seconds are not work', () => {
    let evidence = withBaseline(looked(noEvidence, look(), 0, figures));
    for (let n = 1; n <= 40; n += 1) {
      evidence = looked(evidence, look(process('a', n)), n * 2_000, figures);
    }
    expect(evidence.lastCpuMs).toBeNull();
    expect(evidence.cpu).toHaveLength(5);
  });
  test('figures that fall, or may not be read, are nothing', () => {
    const first = looked(noEvidence, look(process('a', 50, 50)), 0, figures);
    const second = looked(first, look(process('a', 5, null)), 2_000, figures);
    expect([second.cpu.at(-1)?.ticks, second.lastOutputMs]).toEqual([0, null]);
  });
  test('looks that come too fast to tell apart stay bounded', () => {
    let evidence = noEvidence;
    for (let n = 0; n < 200; n += 1) evidence = looked(evidence, look(), n, figures);
    expect(evidence.cpu).toHaveLength(64);
  });
  test('a tool is a process that the baseline does not have, once it is older than 3 s', () => {
    const first = looked(noEvidence, look(process('a')), 0, figures);
    expect(toolChildSince(first, 60_000, figures)).toBeNull();
    const based = withBaseline(first);
    expect(toolChildSince(based, 60_000, figures)).toBeNull();
    const born = looked(based, look(process('a'), process('b')), 2_000, figures);
    expect(toolChildSince(born, 5_000, figures)).toBeNull();
    expect(toolChildSince(born, 5_001, figures)).toBe(2_000);
    const younger = looked(born, look(process('a'), process('b'), process('c')), 4_000, figures);
    expect(toolChildSince(younger, 9_000, figures)).toBe(2_000);
    const gone = looked(younger, look(process('a'), process('c')), 6_000, figures);
    expect(toolChildSince(gone, 9_000, figures)).toBe(4_000);
  });
  test('a baseline before any look is empty', () => {
    expect(withBaseline(noEvidence).baseline).toEqual(new Set());
  });
  test('frozen is every process that lives, and at least one, and since when', () => {
    const frozen = (...processes: readonly ProcessLook[]) =>
      looked(noEvidence, look(...processes), 7, figures).frozenSinceMs;
    expect(frozen(stopped('a'), stopped('b', 't'), stopped('c', 'Z'))).toBe(7);
    expect(frozen(stopped('a'), process('b'))).toBeNull();
    expect(frozen(stopped('a', 'Z'), stopped('b', 'X'))).toBeNull();
    expect(frozen()).toBeNull();
    const first = looked(noEvidence, look(stopped('a')), 7, figures);
    expect(looked(first, look(stopped('a')), 9, figures).frozenSinceMs).toBe(7);
  });
});
