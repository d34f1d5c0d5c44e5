import type { Logger } from 'pino';
import { isRecord, mapValues } from '#base/values.js';

/** The levels of Strapi v4, and those of pino that have their place. */
const logLevels = {
  error: 'error',
  warn: 'warn',
  info: 'info',
  http: 'info',
  verbose: 'debug',
  debug: 'debug',
  silly: 'trace',
} as const;

/** Returns the logger with the levels of Strapi, and `log(level, message)`. Unknown levels are logged as `info`. */
export function withLevels(log: Logger): Logger {
  const own = mapValues(logLevels, (level) => log[level].bind(log));
  const write = (given: unknown, ...rest: unknown[]): void => {
    const { level, message, ...more } = isRecord(given) ? given : { level: given };
    const lines = isRecord(given) ? [more, message] : rest;
    (own[String(level)] ?? log.info.bind(log))(...(lines as [string])); // what pino takes
  };
  return Object.assign(Object.create(log) as Logger, own, { log: write });
}
