import { loadConfig } from '../config/load-config.js';
import { sectionsWith } from '../config/sections.js';
import { featureSettings } from '../feature-settings.js';
import { createStorageOf } from '../media/storage/storage-of.js';
import { connectConfigured } from './connect-configured.js';
import { showProgress } from './show-progress.js';

/** Opens what backups and restores of the working directory work with. The service is not loaded, which would take 40 MB of memory. */
export async function openBackups() {
  const config = await loadConfig({ directory: process.cwd(), known: sectionsWith(featureSettings) });
  const { database, close } = await connectConfigured(config);
  const settings = config.plugins.upload.config;
  const storageOf = createStorageOf({ settings, directory: config.directory, database });
  return { settings, close, context: { database, storageOf, progress: showProgress() } };
}
