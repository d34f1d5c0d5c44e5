import { createClientOf } from '#store/send/connection.js';

/** What the address of a database says about the connection, without its user name and password. */
export interface AddressFacts {
  /** Names and addresses of hosts without ports; the name that DNS resolves for `mongodb+srv://`. */
  readonly hosts: readonly string[];
  readonly isEncrypted: boolean;
  /** Whether certificates and host names are checked, if the connection is encrypted. */
  readonly isVerified: boolean;
  readonly hasUser: boolean;
  /** The read concern that the address asks for; null if it names none. */
  readonly readConcern: string | null;
}

/** Returns the name of the database in an address. Throws as `readAddressFacts` does. */
export async function readDatabaseName(uri: string): Promise<string> {
  const client = createClientOf(uri, {});
  await client.close();
  return client.options.dbName;
}

/** Reads an address without connecting. Throws a ConfigError, which contains no part of the password, if it cannot be read. */
export async function readAddressFacts(uri: string): Promise<AddressFacts> {
  const client = createClientOf(uri, {});
  const { hosts, srvHost, tls, credentials, readConcern, rejectUnauthorized, checkServerIdentity } = client.options;
  await client.close();
  return {
    hosts: srvHost === undefined ? hosts.map(({ host, socketPath }) => host ?? socketPath ?? '') : [srvHost],
    isEncrypted: tls,
    isVerified: rejectUnauthorized !== false && checkServerIdentity === undefined,
    hasUser: credentials !== undefined,
    readConcern: readConcern?.level ?? null,
  };
}
