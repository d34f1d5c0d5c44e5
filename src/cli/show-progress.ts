import { SingleBar, Presets } from 'cli-progress';
import type { Progress } from '../transfer/import-run.js';

/** Shows the progress of parts as bars with counts and remaining time; without a terminal, one line for each finished part. */
export function showProgress(): Progress {
  let bar: SingleBar | null = null;
  let part = { title: '', done: 0, begun: 0 };
  return {
    begin: (title, total) => {
      part = { title, done: 0, begun: Date.now() };
      if (!process.stderr.isTTY || total === 0) return;
      const format = `  ${title.padEnd(8)} {bar} {value}/{total}  {eta_formatted} left`;
      bar = new SingleBar({ format, hideCursor: true, etaBuffer: 50, noTTYOutput: false }, Presets.shades_classic);
      bar.start(total, 0);
    },
    advance: (steps) => {
      part.done += steps;
      bar?.increment(steps);
    },
    end: () => {
      bar?.stop();
      if (bar === null) console.error(describePart(part));
      bar = null;
    },
  };
}

function describePart({ title, done, begun }: { readonly title: string; readonly done: number; readonly begun: number }): string {
  const seconds = (Date.now() - begun) / 1000;
  return `  ${title}: ${String(done)} in ${seconds.toFixed(1)} s`;
}
