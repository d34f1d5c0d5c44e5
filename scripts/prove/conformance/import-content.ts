import type { Service } from '../../../src/operate/service/service.js';
import { createMedia } from '../../../src/media/media.js';
import { openArchive } from '../../../src/operate/transfer/archive/open-archive.js';
import { prepareImport, runImport } from '../../../src/operate/transfer/run-import.js';

const silent = { begin: () => undefined, advance: () => undefined, end: () => undefined };

/** Imports an archive into a product that runs. */
export async function importContent(file: string, { config, backend }: Service): Promise<void> {
  if (backend === null) throw new Error('the product has no database');
  const { store, models } = backend;
  const context = {
    config,
    modelSettings: backend.settings,
    store,
    media: createMedia(config, store.database),
    defaultLocale: models.snapshot.locales.default,
    progress: silent,
  };
  const prepared = await prepareImport(await openArchive({ file, key: null }), context);
  await runImport(prepared, context, { replace: false });
  backend.forget();
  await models.load();
  await models.settled();
}
