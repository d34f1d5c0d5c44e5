import { existsSync } from 'node:fs';
import { createMedia } from '#media/media.js';
import { readModels } from '#store/stores/model-store.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { exportContent } from '../transfer/export-content.js';
import { archiveKey, refuseSecrets } from './open-source.js';
import { changing, runOnService, type Command } from './run-command.js';
import { showProgress } from './show-progress.js';
import { UsageError, onlyWord, parseWords, text } from './usage-error.js';
import { print } from './print.js';

export const usage = `usage: npx mangrove export FILE [--key-file FILE]
  writes models, entries, files and settings into an archive that import, and strapi import, read
  FILE               ends with .tar or .tar.gz; add .enc to encrypt the archive
  --key-file FILE    file with the key of an encrypted archive; by default MANGROVE_IMPORT_KEY, or a prompt`;

function readArguments(args: readonly string[]) {
  refuseSecrets(args);
  const { values, positionals } = parseWords(args, { 'key-file': text });
  const file = onlyWord(positionals, 'a file');
  if (!/\.(tar|tar\.gz|tgz)(\.enc)?$/.test(file))
    throw new UsageError(`the name of an archive must end with .tar, .tar.gz, .tar.enc or .tar.gz.enc, not ${file}`);
  const keyFile = values['key-file'];
  if (keyFile !== undefined && !file.endsWith('.enc'))
    throw new UsageError(`--key-file is for encrypted archives, whose names end with .enc, not ${file}`);
  return { file, keyFile };
}

const exportAll: Command = async ({ config, settings, secrets, store: { database }, content }, args) => {
  const { file, keyFile } = readArguments(args);
  if (existsSync(file)) throw new Error(`${file} already exists`);
  const key = await archiveKey(file, keyFile);
  const counts = await exportContent(
    { file, key },
    {
      database,
      media: config.plugins.upload.enabled ? createMedia(config, database) : null,
      build: buildRegistry(await readModels(database), settings),
      defaultLocale: content.bind.defaultLocale,
      tokenSalt: secrets.tokenSalt,
      progress: showProgress(),
    },
  );
  print(`${file}: ${String(counts.entries)} entries, ${String(counts.links)} links, ${String(counts.files)} files`);
};

/**
 * Exports everything, and records that in the audit log, because the archive contains password hashes and addresses. Returns the
 * exit code.
 */
export async function run(args: readonly string[]): Promise<number> {
  readArguments(args);
  return runOnService(changing(exportAll), args, 'export');
}
