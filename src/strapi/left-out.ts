import { UnsupportedCodeError } from './unsupported-code.js';

const standIns = new WeakSet<object>();

/**
 * Returns the exports of a file that was left out. Code may import, pass on and store them and all their members. Using one as a
 * function, a class, a list or a text throws an UnsupportedCodeError with the message.
 */
export function leaveOut(message: string): object {
  const refuse = (): never => {
    throw new UnsupportedCodeError(message);
  };
  // A class may extend it, which an arrow function does not allow.
  const standIn: object = new Proxy(
    function () {
      refuse();
    },
    {
      get: (_target, name) => {
        if (name === Symbol.iterator || name === Symbol.asyncIterator || name === Symbol.toPrimitive) refuse();
        return typeof name === 'symbol' || name === 'then' ? undefined : standIn;
      },
      apply: refuse,
      construct: refuse,
    },
  );
  standIns.add(standIn);
  return standIn;
}

/** Returns whether a value is the exports of a file that was left out, or one of their members. */
export const isLeftOut = (value: unknown): boolean => typeof value === 'function' && standIns.has(value);
