import { isScheduledName } from '#model/schema/scheduled.js';

/** Returns whether an attribute of a type with draft & publish says when its entries are public. */
export const decidesPublication = (name: string): boolean => name === 'publishedAt' || isScheduledName(name);
