import { makeEntry, type MadeEntry } from './make-entry.js';
import { Random } from '../random.js';
import { makeText } from './words.js';

/** An image of the media library with one variant; its bytes are not there. */
export function makeFile(id: number): MadeEntry {
  const random = new Random(1_600_000_000 + id);
  const hash = `image_${String(id)}`;
  const type = { ext: '.jpg', mime: 'image/jpeg' };
  const thumbnail = { ...type, name: `thumbnail_${hash}.jpg`, hash: `thumbnail_${hash}`, width: 234, height: 156, size: 7.2 };
  return makeEntry(id, {
    ...type,
    name: `${hash}.jpg`,
    alternativeText: makeText(random, 5),
    caption: null,
    width: 1_200,
    height: 800,
    formats: { thumbnail: { ...thumbnail, url: `/uploads/thumbnail_${hash}.jpg` } },
    hash,
    size: (1 + random.below(90_000)) / 100,
    url: `/uploads/${hash}.jpg`,
    previewUrl: null,
    provider: 'gridfs',
    provider_metadata: null,
    folderPath: '/',
  });
}
