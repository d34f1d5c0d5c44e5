/** An error that was made by its status. */
interface HttpError extends Error {
  readonly status: number;
  readonly details?: unknown;
}

/**
 * Returns whether an error was made by its status, by any copy of http-errors: Koa's, or that of a project. An error of another class
 * that code has passed to `ctx.throw` is none.
 */
export function isHttpError(thrown: unknown): thrown is HttpError {
  if (!(thrown instanceof Error) || typeof Reflect.get(thrown, 'expose') !== 'boolean') return false;
  return typeof Reflect.get(thrown, 'status') === 'number' && classNames(thrown).includes('HttpError');
}

function classNames(value: object): readonly string[] {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null ? [] : [prototype.constructor.name, ...classNames(prototype)];
}
