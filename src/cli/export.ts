import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createMedia } from '../media/open-media.js';
import { modelSettings } from '../mongo/models/open-backend.js';
import { readModels } from '../mongo/stores/model-store.js';
import { buildRegistry } from '../schema/build-registry.js';
import { exportContent } from '../transfer/export-content.js';
import { archiveKey, refuseSecrets } from './open-source.js';
import { changing, runOnService, type Command } from './run-command.js';
import { showProgress } from './show-progress.js';

export const usage = `usage: npx mangrove export FILE [--key-file FILE]
  writes models, entries, files and settings into an archive that import, and strapi import, read
  FILE               ends with .tar or .tar.gz; with .enc behind it the archive is encrypted
  --key-file FILE    holds the key of an encrypted archive; else MANGROVE_IMPORT_KEY, or it is asked for`;

/** Null if the arguments are wrong. */
function readArguments(args: readonly string[]) {
  refuseSecrets(args);
  const options = { 'key-file': { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [file = '', ...others] = positionals;
  return others.length === 0 && /\.(tar|tar\.gz|tgz)(\.enc)?$/.test(file) ? { file, keyFile: values['key-file'] } : null;
}

const exportAll: Command = async ({ config, secrets, store: { database }, content }, args) => {
  const given = readArguments(args);
  if (given === null) throw new Error(usage);
  const { file } = given;
  if (existsSync(file)) throw new Error(`${file} already exists`);
  const key = await archiveKey(file, given.keyFile);
  const counts = await exportContent(
    { file, key },
    {
      database,
      media: config.plugins.upload.enabled ? createMedia(config, database) : null,
      build: buildRegistry(await readModels(database), modelSettings(config)),
      defaultLocale: content.bind.defaultLocale,
      tokenSalt: secrets.tokenSalt,
      progress: showProgress(),
    },
  );
  console.log(`${file}: ${String(counts.entries)} entries, ${String(counts.links)} links, ${String(counts.files)} files`);
};

/**
 * Exports everything, and logs that, since the archive contains password hashes and addresses. Returns the exit code; null if the
 * arguments are wrong.
 */
export const run = (args: readonly string[]): Promise<number | null> =>
  readArguments(args) === null ? Promise.resolve(null) : runOnService(changing(exportAll), args, 'export');
