import { SingleBar, Presets } from 'cli-progress';
import type { Progress } from '../transfer/import-run.js';
import { printable } from '#base/values.js';
import { printError } from './print.js';

interface ProgressOutput {
  readonly isTerminal: boolean;
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly print: (line: string) => void;
}

/** Minimum time between two lines of one part, in milliseconds. */
const pace = 5_000;

const processOutput = (): ProgressOutput => ({
  isTerminal: process.stderr.isTTY,
  now: () => performance.now(),
  print: (line) => {
    printError(line);
  },
});

/** Shows parts of work with counts and the remaining time: as bars on a terminal, otherwise as a line every five seconds. */
export const showProgress = (output = processOutput()): Progress => (output.isTerminal ? showBars() : showLines(output));

const formats = { counted: '  {title} {bar} {value}/{total}  {eta_formatted} left', uncounted: '  {title} {value}' };

function showBars(): Progress {
  let bar: SingleBar | null = null;
  return {
    begin: (title, total, done = 0) => {
      const format = total === null ? formats.uncounted : formats.counted;
      bar = new SingleBar({ format, hideCursor: true, etaBuffer: 50, noTTYOutput: false }, Presets.shades_classic);
      bar.start(total ?? 0, done, { title: printable(title).padEnd(8) });
    },
    advance: (steps) => {
      bar?.increment(steps);
    },
    end: () => {
      bar?.stop();
      bar = null;
    },
  };
}

function showLines({ now, print }: ProgressOutput): Progress {
  let part: Part = { title: '', total: null, first: 0, begun: 0 };
  let [done, shown] = [0, 0];
  return {
    begin: (title, total, first = 0) => {
      part = { title, total, first, begun: now() };
      [done, shown] = [first, part.begun];
    },
    advance: (steps) => {
      done += steps;
      if (now() - shown < pace) return;
      shown = now();
      print(`  ${part.title}: ${String(done)}${describeRest(part, done, now() - part.begun)}`);
    },
    end: () => {
      print(`  ${part.title}: ${String(done)} in ${((now() - part.begun) / 1000).toFixed(1)} s`);
    },
  };
}

interface Part {
  readonly title: string;
  readonly total: number | null;
  /** Number of steps that were done before. */
  readonly first: number;
  /** Time of the clock at the start. */
  readonly begun: number;
}

function describeRest({ total, first }: Part, done: number, milliseconds: number): string {
  return total === null ? '' : ` of ${String(total)}, ${printTime((milliseconds / (done - first)) * (total - done))} left`;
}

/** Formats a duration: `42 s`, `3 min`, `2.5 h`. */
function printTime(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 100) return `${seconds.toFixed(0)} s`;
  return seconds < 6_000 ? `${(seconds / 60).toFixed(0)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
