import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import type { ContentContext } from '#content/content-context.js';
import { cleanName, hashName } from '#media/clean-name.js';
import { parseFileInfo } from '#media/parse-file-info.js';
import { placeFile } from '#media/place-file.js';
import type { Values } from '#base/values.js';

/** What code says of a file before it is stored. `size` is in bytes. */
type NewFile = Readonly<Record<'filename' | 'type', string>> & { readonly size: number };

/** A file on disk. `size` is in bytes. */
type ReceivedFile = Readonly<Record<'name' | 'type' | 'path', string>> & { readonly size: number };

/** A file as `uploadFileAndPersist` takes it. */
type DescribedFile = Values & { readonly getStream?: () => Readable };

/** Returns the members of the service of uploads that describe a file without storing it. Images are drawn when they are stored. */
export function describingFiles({ content }: { readonly content: () => ContentContext }) {
  const formatFileInfo = async (
    { filename, type, size }: NewFile,
    info: Values = {},
    metas: Values = {},
  ): Promise<DescribedFile> => {
    const name = cleanName(typeof info['name'] === 'string' && info['name'] !== '' ? info['name'] : filename);
    const ext = extname(cleanName(filename));
    const { folder, folderPath } = await placeFile(parseFileInfo(info), info, ['fileInfo'], content());
    const { alternativeText, caption } = info;
    const kilobytes = Math.round((size / 1000) * 100) / 100;
    const about = { name, alternativeText, caption, folder, folderPath, hash: await hashName(name, ext) };
    return { ...about, ext, mime: type, size: kilobytes, sizeInBytes: size, ...relatedOf(metas) };
  };
  const enhanceAndValidateFile = async (file: ReceivedFile, info: Values = {}, metas: Values = {}): Promise<DescribedFile> => ({
    ...(await formatFileInfo({ filename: file.name, type: file.type, size: file.size }, info, metas)),
    filepath: file.path,
    getStream: () => createReadStream(file.path),
  });
  return {
    /** Returns what is stored of a file: its name, folder, hash, extension and sizes. */
    formatFileInfo,
    /** Returns a received file for `uploadFileAndPersist`. */
    enhanceAndValidateFile,
    enhanceFile: enhanceAndValidateFile,
    enhanceFileAndOptimize: enhanceAndValidateFile,
  };
}

function relatedOf({ ref, refId, field }: Values): Values {
  return ref && refId && field ? { related: [{ id: refId, __type: ref, __pivot: { field } }] } : {};
}

/** Returns the entry that a described file is linked to. */
export function placeIn({ related }: Values): Values {
  const [first] = Array.isArray(related) ? (related as readonly Values[]) : [];
  if (first === undefined) return {};
  return { ref: first['__type'], refId: first['id'], field: Reflect.get(Object(first['__pivot']) as object, 'field') };
}
