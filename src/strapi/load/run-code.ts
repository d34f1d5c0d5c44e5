import { inspect } from 'node:util';
import type { Config } from '#settings/config.js';
import { ConfigError } from '#settings/setting.js';
import { UnknownTypeError } from '#api/code/entity-service.js';
import { messageOf } from '#base/errors.js';
import type { Observer } from '#base/observe/observer.js';
import { printable } from '#base/values.js';
import { UnsupportedCodeError } from './unsupported-code.js';

/**
 * Runs code of a project. Errors are printed with their stack and become a ConfigError with the place. Code that cannot run here
 * ends with a warning, or in production with an error.
 */
export async function runLeniently(
  place: string,
  { config, observer }: { readonly config: Pick<Config, 'environment'>; readonly observer: Observer },
  run: () => unknown,
): Promise<void> {
  await explained(place, async () => {
    try {
      await run();
    } catch (error) {
      if (config.environment === 'production') throw error;
      warnIfUnsupported(error, place, (text) => {
        observer.observe({ kind: 'code warned', text });
      });
    }
  });
}

/** Warns of an error with its place if code has used something that is not offered. Throws any other error. */
export function warnIfUnsupported(error: unknown, place: string, warn: (text: string) => void): void {
  if (!(error instanceof UnsupportedCodeError)) throw error;
  warn(`${place}: ${error.message}`);
}

/**
 * Runs code and returns its result. If the code uses something that is not offered, warns with the place and returns undefined.
 */
export function runUnlessUnsupported<Result>(place: string, warn: (text: string) => void, run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    warnIfUnsupported(error, place, warn);
    return undefined;
  }
}

/**
 * Runs code of a project. Errors become a ConfigError with the place, after they are printed with their stack; not those for content
 * types that are not stored or valid, whose message says enough.
 */
export async function explained(place: string, run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof UnknownTypeError || error instanceof ConfigError)) console.error(printable(inspect(error)));
    throw new ConfigError(`${place}: ${messageOf(error)}`, { cause: error });
  }
}
