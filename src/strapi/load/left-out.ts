import { createStandIn, isStandIn } from '../../config/stand-in.js';
import { UnsupportedCodeError } from './unsupported-code.js';

/** Returns what code imports in place of a package that is not installed. Using it throws an UnsupportedCodeError with the message. */
export const leaveOut = (message: string): object =>
  createStandIn(() => {
    throw new UnsupportedCodeError(message);
  });

/** Returns whether a value is such an import, or one of its members. */
export const isLeftOut = isStandIn;
