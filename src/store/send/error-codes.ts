// Error codes of MongoDB servers, by what they mean here.

/** Returns a set of MongoDB error codes, which are written with their names. */
const codes = (named: Readonly<Record<string, number>>): ReadonlySet<number> => new Set(Object.values(named));

export const timedOut = codes({ MaxTimeMSExpired: 50, ExceededTimeLimit: 262, LockTimeout: 24 });

/** A document or array exceeded a limit of the server, in a reply or an intermediate result. */
export const tooLarge = codes({
  ExceededMemoryLimit: 146,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  BSONObjectTooLarge: 10334,
  KeyTooLong: 17280,
  // The server has no names for these: results of a $lookup, the document of a $facet, a computed text, and a document after an update.
  lookupTooLarge: 4568,
  facetTooLarge: 4031700,
  textTooLarge: 16493,
  updatedTooLarge: 17419,
});

export const interrupted = codes({
  InterruptedAtShutdown: 11600,
  InterruptedDueToReplStateChange: 11602,
  NotWritablePrimary: 10107,
  NotPrimaryNoSecondaryOk: 13435,
  NotPrimaryOrSecondary: 13436,
  PrimarySteppedDown: 189,
  ShutdownInProgress: 91,
  HostUnreachable: 6,
  HostNotFound: 7,
  NetworkTimeout: 89,
  SocketException: 9001,
  FailedToSatisfyReadPreference: 133,
  // An index or a collection was dropped while a command read it.
  QueryPlanKilled: 175,
});

export const duplicateKey = 11000;
export const badValue = 2;
/** No index serves `$geoNear`. */
export const noPlan = 291;
export const pathNotViable = 28;
export const typeMismatch = 14;
/** The operation was ended on the server, by an operator for example. */
export const operationInterrupted = 11601;
export const indexNotFound = 27;
export const unknownTimeZone = 40485;
