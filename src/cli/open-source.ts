import type { Database } from '../mongo/database.js';
import { openArchive } from '../transfer/archive/open-archive.js';
import { openRest } from '../transfer/strapi-rest/open-rest.js';
import { openV3 } from '../transfer/strapi-v3/open-v3.js';
import type { Source } from '../transfer/source.js';
import { readSecret } from './read-password.js';

interface SourceArguments {
  readonly source: string;
  readonly key?: string | undefined;
  /** The folder of a Strapi v3 project. */
  readonly project?: string | undefined;
  /** Whether a service on this machine or in a private network may be asked. */
  readonly 'allow-private'?: boolean;
}

/** Opens what an import is told to read. Throws an Error if it is nothing that can be read. */
export async function openSource(given: SourceArguments, database: Database): Promise<Source> {
  const { source, key, project } = given;
  if (/^https?:\/\//.test(source))
    return openRest({ url: source, token: await askToken(source), allowPrivate: given['allow-private'] === true });
  if (/^mongodb(\+srv)?:\/\//.test(source)) return openV3({ uri: source, project: project ?? null, database });
  return openArchive({ file: source, key: source.endsWith('.enc') ? (key ?? (await askKey(source))) : null });
}

/** Returns the key of an encrypted archive: from the environment, or asked for. */
export const askKey = async (file: string): Promise<string> => process.env['MANGROVE_IMPORT_KEY'] ?? readSecret(`key of ${file}`);

const askToken = async (url: string): Promise<string> =>
  process.env['MANGROVE_IMPORT_TOKEN'] ?? readSecret(`API token of ${url}`);
