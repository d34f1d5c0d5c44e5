import cluster from 'node:cluster';
import { createRequire } from 'node:module';
import type { Writable } from 'node:stream';
import { pino } from 'pino';
import type pretty from 'pino-pretty';
import type { PrettyStream } from 'pino-pretty';
import type { DestinationStream, Logger } from 'pino';
import type { Config } from '#settings/config.js';
import { logObservations } from '#base/observe/log-observations.js';
import { Observer } from '#base/observe/observer.js';
import { printable } from '#base/values.js';

type LogConfig = Pick<Config, 'environment'> & { readonly middlewares: Pick<Config['middlewares'], 'logger'> };

/**
 * Returns the log of the process: one JSON object per line, or readable lines if `pretty` is set, as by default in development.
 * `target` is where to write; standard output by default.
 */
export async function createLogger(config: LogConfig, target?: Writable): Promise<Logger> {
  const { level } = config.middlewares.logger;
  // with several workers, the pid tells which one has logged
  return pino(
    { level, base: cluster.isWorker ? { pid: process.pid } : null },
    writesForPeople(config) ? prettyStream(target) : (target ?? jsonStream()),
  );
}

/** Returns an observer that writes to a log. */
export function createObserver(config: LogConfig, logger: Logger): Observer {
  const form = writesForPeople(config) ? 'text' : 'fields';
  return new Observer(logObservations(logger, { requests: config.middlewares.logger.enabled ? form : 'none' }));
}

/** Returns whether the log has readable lines instead of JSON. */
const writesForPeople = ({ environment, middlewares }: LogConfig): boolean =>
  middlewares.logger.pretty ?? environment === 'development';

/**
 * Returns the stream of JSON lines. Lines are buffered for 0.1 s, because one write per line takes 6 µs of each request. Writes
 * are synchronous, so that none is pending at exit.
 */
function jsonStream(): DestinationStream {
  if (standardOutput) return standardOutput;
  const stream = pino.destination({ dest: 1, sync: true, minLength: 4_096, periodicFlush: 100 });
  process.once('exit', () => {
    stream.flushSync();
  });
  return (standardOutput = stream);
}

/** The stream of all loggers, because the process has one standard output. */
let standardOutput: DestinationStream | undefined;

/** Returns the stream of readable lines. The package is loaded with the first line, because it takes 30 ms and 1 MB. */
function prettyStream(target: Writable | undefined): DestinationStream {
  let stream: PrettyStream | undefined;
  return {
    write: (line) => {
      stream ??= openPretty(target);
      stream.write(printableLine(line));
    },
  };
}

/**
 * Returns a line of JSON whose texts are printable. pino-pretty decodes it, and would write the control characters of names and
 * messages to the terminal.
 */
const printableLine = (line: string): string => line.replaceAll(/\\(?:u[\da-f]{4}|.)|[^\x20-\x7e\n]/gi, printableUnit);

function printableUnit(written: string): string {
  const unit = written.startsWith('\\') ? (JSON.parse(`"${written}"`) as string) : written; // an escape of JSON is a string
  const shown = printable(unit);
  return shown === unit ? written : `\\${shown}`;
}

function openPretty(target: Writable | undefined): PrettyStream {
  const open = createRequire(import.meta.url)('pino-pretty') as typeof pretty; // has the type of the import above
  return open({
    colorize: process.stdout.isTTY,
    translateTime: 'SYS:HH:MM:ss',
    sync: true,
    ...(target && { destination: target }),
  });
}
