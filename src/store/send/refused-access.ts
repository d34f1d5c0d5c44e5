import { MongoClient, MongoServerError, type MongoClientOptions } from 'mongodb';
import { readAddress } from '#settings/database-address.js';
import { ConfigError } from '#settings/setting.js';
import { messageOf } from '#base/errors.js';

const setting = 'the address of the database (database.uri, MONGODB_URI)';

/**
 * Creates a client of an address. Throws a ConfigError, which says what to do and contains no part of the password, if the address
 * cannot be read.
 */
export function createClientOf(written: string, options: MongoClientOptions): MongoClient {
  const { uri, problems } = readAddress(written);
  const [problem] = problems;
  if (problem !== undefined) throw new ConfigError(`${setting} ${problem}`);
  const reason = parse(uri, options);
  if (typeof reason !== 'string') return reason;
  // The driver's message of an address with another password cannot contain the password.
  const safe = parse(uri.replace(/^([^:]+:\/\/)[^/?]*@/, '$1user:password@'), options);
  throw new ConfigError(`${setting} cannot be read: ${typeof safe === 'string' ? safe : 'check the user name and the password'}`);
}

/** Returns a client, or the message of the driver. */
function parse(uri: string, options: MongoClientOptions): MongoClient | string {
  try {
    return new MongoClient(uri, options);
  } catch (error) {
    return messageOf(error);
  }
}

/** Error codes of MongoDB and Atlas for a user that does not exist, or has another password. */
const notLoggedIn: readonly unknown[] = [18, 8000];
const notAllowed = 13;

/** Returns the ConfigError for an error that no further attempt can mend: the user is refused. Returns other errors unchanged. */
export function explainRefusal(error: unknown, { uri, name }: { readonly uri: string; readonly name: string | null }): unknown {
  if (!(error instanceof MongoServerError)) return error;
  if (notLoggedIn.includes(error.code))
    return new ConfigError(
      `MongoDB refuses the user name or the password of ${setting}. If they are right, name the database in which the user was ` +
        'created, as in ?authSource=admin',
      { cause: error },
    );
  if (error.code !== notAllowed) return error;
  const isNamed = name !== null || hasDatabase(uri);
  return new ConfigError(
    isNamed
      ? `the user of ${setting} may not read and write the database that it names: grant the role readWrite on it`
      : `the user of ${setting} may not use the database mangrove, which is the default, since the address names none: add its ` +
          'name to the address, as in mongodb://HOST/NAME, or set database.name (MONGODB_DATABASE)',
    { cause: error },
  );
}

/** Returns whether an address names a database. */
export const hasDatabase = (uri: string): boolean => /^mongodb(\+srv)?:\/\/[^/]+\/[^?]/.test(uri);
