/**
 * Goes before the built programs of a test, so that a machine has a clock of its own. The file
 * `clock.json`, in the folder of the machine, says how its wall clock is set (`wallMs`, read again
 * and again, so that it can be set while a program runs) and whether the time that a process stands
 * still counts as a sleep of the machine (`sleeps`): then its monotonic clock has stood still too.
 */
'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const mark = Symbol.for('pawl-test-clock');
const lookMs = 100;
const sleptMsMin = 5_000;

function clockFile() {
  const { PAWL_TEST_MACHINE: named, PAWL_HOME: home } = process.env;
  let at = named ?? home ?? '';
  for (let n = 0; n < 4 && at !== ''; n += 1) {
    const file = join(at, 'clock.json');
    if (existsSync(file)) return file;
    at = dirname(at);
  }
  return null;
}

const file = clockFile();
if (file !== null && globalThis[mark] === undefined) {
  globalThis[mark] = true;
  const RealDate = Date;
  const realMs = performance.now.bind(performance);
  let set = { wallMs: 0, sleeps: false };
  let [lastMs, stoodMs] = [realMs(), 0];
  const look = () => {
    set = JSON.parse(readFileSync(file, 'utf8'));
    performance.now();
  };
  performance.now = () => {
    const ms = realMs();
    if (set.sleeps && ms - lastMs > sleptMsMin) stoodMs += ms - lastMs;
    lastMs = ms;
    return ms - stoodMs;
  };
  globalThis.Date = class SetDate extends RealDate {
    constructor(...of) {
      if (of.length === 0) super(RealDate.now() + set.wallMs);
      else super(...of);
    }
    static now() {
      return RealDate.now() + set.wallMs;
    }
  };
  look();
  setInterval(look, lookMs).unref();
}
