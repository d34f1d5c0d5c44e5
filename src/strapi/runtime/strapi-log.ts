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

type Write = (...parts: unknown[]) => void;

/** Returns the logger with the levels of Strapi, and `log(level, message)`. Unknown levels are logged as `info`. */
export function withLevels(log: Logger): Logger {
  const own = mapValues(logLevels, (level) => addingErrors(log[level].bind(log) as Write)); // what pino takes
  const write = (given: unknown, ...rest: unknown[]): void => {
    const { level, message, ...more } = isRecord(given) ? given : { level: given };
    const lines = isRecord(given) ? [more, message] : rest;
    const name = String(level);
    (Object.hasOwn(own, name) ? own[name as keyof typeof own] : own.info)?.(...lines);
  };
  return Object.assign(Object.create(log) as Logger, own, { log: write });
}

/**
 * Returns a function that adds the message of an error after a text, as in Strapi v4: `error('Not sent:', error)`. Pino ignores what has
 * no placeholder in the text. Of the error, the log has the stack too, but not its other members, such as requests with their secrets.
 */
const addingErrors =
  (write: Write): Write =>
  (...parts) => {
    const [text, ...rest] = parts;
    if (typeof text !== 'string' || rest.length === 0 || /%[sdifjoOc]/.test(text)) return write(...parts);
    const said = [text, ...rest.flatMap(saidBy)].join(' ');
    const error = rest.find((one) => one instanceof Error);
    return error === undefined ? write(said) : write({ err: bareError(error) }, said);
  };

/** Returns what a line says of a value after its text: texts, numbers, and the messages of errors and other objects. */
function saidBy(value: unknown): readonly string[] {
  if (isRecord(value)) return typeof value['message'] === 'string' ? [value['message']] : [];
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value) ? [String(value)] : [];
}

function bareError({ message, stack }: Error): Error {
  const bare = new Error(message);
  if (stack !== undefined) bare.stack = stack;
  return bare;
}
