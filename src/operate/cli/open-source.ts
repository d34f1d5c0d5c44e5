import { readFile } from 'node:fs/promises';
import type { Database } from '#store/send/database.js';
import { openArchive } from '../transfer/archive/open-archive.js';
import { openRest } from '../transfer/strapi-rest/open-rest.js';
import { openV3 } from '../transfer/strapi-v3/open-v3.js';
import type { Source } from '../transfer/source.js';
import { readSecret } from './passwords.js';
import { UsageError } from './usage-error.js';

const passwordVariable = 'MANGROVE_IMPORT_PASSWORD';

interface SourceArguments {
  readonly source: string;
  /** Path of the file with the key of an encrypted archive. */
  readonly 'key-file'?: string | undefined;
  /** The folder of a Strapi v3 project. */
  readonly project?: string | undefined;
  /** Whether the source may be on this machine or in a private network. */
  readonly 'allow-private'?: boolean;
  /** E-mail address of an administrator of a running Strapi v4. */
  readonly administrator?: string | undefined;
}

/** Opens the source of an import. Throws an Error if it cannot be read. */
export async function openSource(sourceArguments: SourceArguments, database: Database): Promise<Source> {
  const { source, project, administrator: email } = sourceArguments;
  if (email !== undefined && !/^https?:\/\//.test(source)) throw new UsageError('--administrator is for a running Strapi v4');
  if (/^https?:\/\//.test(source))
    return openRest({
      url: source,
      token: await readSecret(`API token of ${source}`, 'MANGROVE_IMPORT_TOKEN'),
      allowPrivate: sourceArguments['allow-private'] === true,
      administrator: email === undefined ? null : { email, password: await readSecret(`password of ${email}`, passwordVariable) },
    });
  if (/^mongodb(\+srv)?:\/\//.test(source))
    return openV3({ uri: await withPassword(source), project: project ?? null, database });
  return openArchive({ file: source, key: await archiveKey(source, sourceArguments['key-file']) });
}

/** Returns the key of an encrypted archive from a file, the environment or a prompt; null if the archive is not encrypted. */
export async function archiveKey(file: string, keyFile: string | undefined): Promise<string | null> {
  if (!file.endsWith('.enc')) return null;
  if (keyFile === undefined) return readSecret(`key of ${file}`, 'MANGROVE_IMPORT_KEY');
  const [key = ''] = (await readFile(keyFile, 'utf8')).split(/\r?\n/, 1);
  if (key === '') throw new Error(`${keyFile} contains no key`);
  return key;
}

/**
 * Adds the password to the URI of a database that contains a user name. The password is read from the environment or a prompt.
 */
async function withPassword(uri: string): Promise<string> {
  const [start, protocol = '', user = ''] = /^(mongodb(?:\+srv)?:\/\/)([^@/?]+)@/.exec(uri) ?? [];
  if (start === undefined || /[?&]authMechanism=(?!SCRAM|PLAIN)/i.test(uri)) return uri;
  const password = await readSecret(`password of ${user}`, passwordVariable);
  return `${protocol}${user}:${encodeURIComponent(password)}@${uri.slice(start.length)}`;
}

/**
 * Throws an Error if a command line contains a secret, after `--key` or in a URL. Other users of the machine and the history of
 * the shell can see it there.
 */
export function refuseSecrets(args: readonly string[]): void {
  if (args.some((word) => word === '--key' || word.startsWith('--key=')))
    throw new Error(
      'a key is not taken from the command line; enter it at the prompt, or use MANGROVE_IMPORT_KEY or --key-file FILE',
    );
  if (args.some((word) => /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*:[^/?#]*@/i.test(word)))
    throw new Error(
      'a password is not taken from the command line; omit it from the address, as in mongodb://NAME@HOST/DATABASE, and enter it at the prompt, or use MANGROVE_IMPORT_PASSWORD',
    );
}
