import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentContext } from '../content/content-context.js';
import type { Media } from '../media/media.js';
import { prepareFile } from '../media/prepare-file.js';
import { Staging } from '../media/staging.js';
import { idsOf } from '../media/link-files.js';
import { storeFiles, uploadFolder } from '../media/upload-files.js';

/** The pictures of the demo. Their bytes and variants are stored but not published yet. */
export interface DemoFiles {
  /** Publishes the files inside a transaction. Returns ids by `file.<name>`; all null if the media library is disabled. */
  store(content: ContentContext): Promise<ReadonlyMap<string, number | null>>;
  /** Deletes the bytes of unpublished files. */
  discard(): Promise<void>;
}

/** A file of config/demo/files, as config/demo/files.json lists it. */
interface ListedFile {
  readonly name: string;
  readonly alternativeText: string;
}

/** Stores the pictures of the demo without publishing them. `media` is null if there is no media library. */
export async function stageDemoFiles(folder: string, media: Media | null, content: ContentContext): Promise<DemoFiles> {
  const listed = JSON.parse(await readFile(join(folder, 'files.json'), 'utf8')) as readonly ListedFile[]; // shipped with the package
  const names = listed.map(({ name }) => `file.${name}`);
  if (media === null) {
    const none = new Map(names.map((name) => [name, null]));
    return { store: () => Promise.resolve(none), discard: () => Promise.resolve() };
  }
  const staging = new Staging(media);
  // the variants are made in parallel, limited by the number of processors
  const prepare = async (info: ListedFile) => {
    const about = { name: info.name, mime: 'image/jpeg' };
    const staged = await staging.stage(createReadStream(join(folder, 'files', info.name)), about);
    return { ...(await prepareFile({ ...staged, ...about }, info, { media, staging })), info };
  };
  const [files, uploads] = await Promise.all([Promise.all(listed.map(prepare)), uploadFolder(content)]);
  return {
    store: async (inner) => {
      const ids = idsOf(await storeFiles({ files, folder: uploads }, inner));
      return new Map(names.map((name, index) => [name, ids[index] ?? null]));
    },
    discard: () => staging.discard(),
  };
}
