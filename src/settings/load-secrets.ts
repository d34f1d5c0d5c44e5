import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makePrivateFolder } from '#base/private-folder.js';
import { ConfigError } from './setting.js';
import type { Config } from './config.js';

export interface Secrets extends Named {
  /** Those that were replaced: what they have signed or hashed stays valid. Null if there is none. */
  readonly previous: Readonly<Record<Names, string | null>>;
}

interface Named {
  /** The key that signs the tokens of users. */
  readonly jwtSecret: string;
  /** The salt for hashing API tokens. */
  readonly tokenSalt: string;
  /** A token for the admin API. */
  readonly adminToken: string;
}

type Names = keyof Named;

const variables: Readonly<Record<Names, string>> = {
  jwtSecret: 'JWT_SECRET',
  tokenSalt: 'API_TOKEN_SALT',
  adminToken: 'ADMIN_TOKEN',
};

/**
 * Returns the secrets of the configuration. In development, missing secrets are created once and stored in a file that only its
 * owner can read. In production, throws a ConfigError that says how to create a missing secret.
 */
export async function loadSecrets(config: Config): Promise<Secrets> {
  const configured = givenSecrets(config);
  const missing = (Object.keys(variables) as Names[]).filter((name) => configured[name] === null); // the keys of a literal
  const previous = previousSecrets(config);
  if (missing.length === 0) return { ...(configured as Named), previous }; // none is null
  if (config.environment === 'production') refuse(missing, config);
  const storedSecrets = await keptSecrets(resolve(config.directory, config.admin.secretsFile));
  return { ...storedSecrets, ...Object.fromEntries(Object.entries(configured).filter(([, value]) => value !== null)), previous };
}

const givenSecrets = ({ plugins, admin }: Config): Readonly<Record<Names, string | null>> => ({
  jwtSecret: plugins['users-permissions'].enabled ? plugins['users-permissions'].config.jwtSecret : '',
  tokenSalt: admin.apiToken.salt,
  adminToken: admin.enabled ? admin.token : '',
});

const previousSecrets = ({ plugins, admin }: Config): Secrets['previous'] => ({
  jwtSecret: plugins['users-permissions'].config.jwtSecretPrevious,
  tokenSalt: admin.apiToken.saltPrevious,
  adminToken: admin.tokenPrevious,
});

function refuse(missing: readonly Names[], { admin }: Config): never {
  const hint = "make one with: node -e \"console.log(require('crypto').randomBytes(32).toString('hex'))\"";
  const off = admin.enabled ? ', or switch the admin API off: admin.enabled = false' : '';
  const lines = missing.map(
    (name) => `${variables[name]} is not set, which production needs; ${hint}${name === 'adminToken' ? off : ''}`,
  );
  throw new ConfigError(lines.join('\n'));
}

async function keptSecrets(file: string): Promise<Named> {
  const secrets: Named = { jwtSecret: makeSecret(), tokenSalt: makeSecret(), adminToken: makeSecret() };
  await makePrivateFolder(dirname(file)).catch((error: NodeJS.ErrnoException) => cannotKeep(file, error));
  try {
    await writeFile(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    return secrets;
  } catch (error) {
    const failure = error as NodeJS.ErrnoException; // of the file system
    return failure.code === 'EEXIST' ? readSecrets(file) : cannotKeep(file, failure);
  }
}

function cannotKeep(file: string, { code = '' }: NodeJS.ErrnoException): never {
  throw new ConfigError(
    `the secrets cannot be stored in ${file} (${code}): start in a folder that can be written, name another file in ` +
      `admin.secretsFile, or set ${Object.values(variables).join(', ')}`,
  );
}

const makeSecret = (): string => randomBytes(32).toString('hex');

/** Reads the secrets. Waits up to a second if another process has created the file but not written it yet. */
async function readSecrets(file: string): Promise<Named> {
  let kept = await readObject(file);
  for (let tries = 0; kept === null && tries < 50; tries += 1) {
    await delay(20);
    kept = await readObject(file);
  }
  const isWhole = kept !== null && Object.keys(variables).every((name) => isText(Reflect.get(kept, name)));
  if (!isWhole) throw new ConfigError(`${file} does not contain the secrets; delete it, and new ones are created`);
  return kept as Named; // checked above
}

/** Reads an object from a JSON file; null if there is none, or not yet. */
const readObject = (file: string): Promise<object | null> =>
  readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as unknown)
    .then((value) => (typeof value === 'object' ? value : null))
    .catch(() => null);

const isText = (value: unknown): boolean => typeof value === 'string' && value.length >= 16;
