import { createMedia } from '../media/open-media.js';
import { ensureBlobIndexes } from '../mongo/stores/blob-store.js';
import { abandonImport, prepareImport, runImport } from '../transfer/run-import.js';
import type { ImportContext } from '../transfer/import-run.js';
import { printTable } from './compare-models.js';
import { describeImport, describePrepared } from './describe-import.js';
import { openSource, refuseSecrets } from './open-source.js';
import type { OpenedService } from './open-service.js';
import { changing, runOnService, type Command } from './run-command.js';
import { showProgress } from './show-progress.js';
import { UsageError, allowNoMore, parseWords, required } from './usage-error.js';

export const usage = `usage: npx mangrove import SOURCE [options]
  SOURCE             an archive of strapi export: .tar, .tar.gz, and .enc;
                     or mongodb://NAME@HOST/DATABASE, that of a Strapi v3 project, with the password
                     in MANGROVE_IMPORT_PASSWORD, else it is asked for;
                     or https://…, a Strapi v4 that runs, asked with the API token for
                     full access in MANGROVE_IMPORT_TOKEN, else the token is asked for
  --key-file FILE    holds the key of an encrypted archive; else MANGROVE_IMPORT_KEY, or it is asked for
  --project DIR      the folder of the Strapi v3 project: for the files in its public/uploads, and
                     for its models if the database does not have them
  --allow-private    allow SOURCE, and no other address, to be on this machine or in a private network
  --dry-run          read the whole source and report what would be imported; nothing is stored
  --replace          the entries of the source replace those that are stored
npx mangrove import --abandon
                     drop what an interrupted import has collected`;

const options = {
  'key-file': { type: 'string' },
  project: { type: 'string' },
  'allow-private': { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  replace: { type: 'boolean', default: false },
  abandon: { type: 'boolean', default: false },
} as const;

function readArguments(args: readonly string[]) {
  refuseSecrets(args);
  const { values, positionals } = parseWords({ args: [...args], options, allowPositionals: true });
  const [source, ...more] = positionals;
  allowNoMore(more);
  if (values.abandon && source !== undefined) throw new UsageError('--abandon has no SOURCE');
  return { ...values, source: values.abandon ? '' : required(source, 'SOURCE') };
}

const importSource: Command = async (service, args) => {
  const given = readArguments(args);
  const context = await contextOf(service);
  if (given.abandon) return abandon(context);
  const source = await openSource(given, service.store.database);
  try {
    console.error(`reading ${source.description}`);
    const prepared = await prepareImport(source, context);
    if (given['dry-run']) return printTable(describePrepared(prepared));
    if (prepared.unfinished !== null) console.error(`going on with the import of ${prepared.unfinished.source}`);
    printTable(describeImport(prepared, await runImport(prepared, context, given)));
  } finally {
    await source.close();
  }
};

async function contextOf({ config, secrets, store, content }: OpenedService): Promise<ImportContext> {
  const media = config.plugins.upload.enabled ? createMedia(config, store.database) : null;
  if (media !== null) await ensureBlobIndexes(store.database);
  const tokens = { salt: secrets.tokenSalt, isGiven: config.admin.apiToken.salt !== null, showKey };
  return { config, store, media, defaultLocale: content.bind.defaultLocale, tokens, progress: showProgress() };
}

function showKey(name: string, key: string): void {
  console.error(`the salt of API tokens is another one: ${name} has a new key, which is shown this once`);
  console.log(`${name}\t${key}`);
}

async function abandon(context: ImportContext): Promise<void> {
  const given = await abandonImport(context);
  if (given === null) return void console.log('no import was cut short');
  const left = given.stage === 'publish' ? 'the types that had taken their places stay' : 'nothing of it is left';
  console.log(`the import of ${given.source} is given up; ${left}`);
}

/** Imports a source. Returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const given = readArguments(args);
  // A dry run changes nothing and is not logged.
  return runOnService(given['dry-run'] ? importSource : changing(importSource), args, 'import');
}
