import type { Database } from '../mongo/database.js';
import { openArchive } from '../transfer/archive/open-archive.js';
import { openV3 } from '../transfer/strapi-v3/open-v3.js';
import type { Source } from '../transfer/source.js';
import { readSecret } from './read-password.js';

interface SourceArguments {
  readonly source: string;
  readonly key?: string | undefined;
  /** The folder of a Strapi v3 project. */
  readonly project?: string | undefined;
}

/** Opens what an import is told to read. Throws an Error if it is nothing that can be read. */
export async function openSource({ source, key, project }: SourceArguments, database: Database): Promise<Source> {
  if (/^mongodb(\+srv)?:\/\//.test(source)) return openV3({ uri: source, project: project ?? null, database });
  return openArchive({ file: source, key: source.endsWith('.enc') ? (key ?? (await askKey(source))) : null });
}

/** Returns the key of an encrypted archive: from the environment, or asked for. */
export const askKey = async (file: string): Promise<string> => process.env['MANGROVE_IMPORT_KEY'] ?? readSecret(`key of ${file}`);
