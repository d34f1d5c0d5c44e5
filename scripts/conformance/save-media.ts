import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Db, Document } from 'mongodb';
import { insertEntries } from './insert-entries.js';
import type { MediaFixture } from './read-content.js';

/** Writes the rows of the uploaded files (rest.md 12), with the variants that an upload would have made; not their bytes. */
export async function saveMedia(db: Db, media: readonly MediaFixture[], directory: string): Promise<void> {
  await insertEntries(
    db,
    'files',
    media.map((fixture) => describeFile(fixture, readFileSync(path.join(directory, fixture.file)))),
  );
}

function describeFile({ key, file, mime, info = {} }: MediaFixture, bytes: Buffer): Document {
  const { name = file, alternativeText = null, caption = null } = info;
  const ext = path.extname(file);
  const hash = `${path.basename(name, ext).replaceAll(/\W+/g, '_')}_${createHash('md5').update(key).digest('hex').slice(0, 10)}`;
  const image = mime === 'image/png' ? readPngSize(bytes) : null;
  const stored = { name, hash, ext, mime };
  return {
    ...stored,
    alternativeText,
    caption,
    width: image?.width ?? null,
    height: image?.height ?? null,
    formats: image && describeVariants(stored, image),
    size: kilobytes(bytes.length),
    url: `/uploads/${hash}${ext}`,
    previewUrl: null,
    provider: 'local',
    provider_metadata: null,
    folderPath: '/',
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface StoredFile {
  readonly name: string;
  readonly hash: string;
  readonly ext: string;
  readonly mime: string;
}

/** The boxes that a variant must fit into; it is made only of images that do not. */
const variants: Readonly<Record<string, Size>> = {
  thumbnail: { width: 245, height: 156 },
  large: { width: 1000, height: 1000 },
  medium: { width: 750, height: 750 },
  small: { width: 500, height: 500 },
};

function describeVariants({ name, hash, ext, mime }: StoredFile, image: Size): Document | null {
  const made = Object.entries(variants).flatMap(([variant, box]) => {
    const scale = Math.min(box.width / image.width, box.height / image.height);
    if (scale >= 1) return [];
    const [width, height] = [Math.round(image.width * scale), Math.round(image.height * scale)];
    const url = `/uploads/${variant}_${hash}${ext}`;
    const size = { width, height, size: kilobytes(width * height), sizeInBytes: width * height };
    return [[variant, { name: `${variant}_${name}`, hash: `${variant}_${hash}`, ext, mime, path: null, ...size, url }] as const];
  });
  return made.length > 0 ? Object.fromEntries(made) : null;
}

/** A PNG starts with its signature and the IHDR chunk, which holds width and height at byte 16. */
const readPngSize = (bytes: Buffer): Size => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) });

const kilobytes = (bytes: number): number => Math.round(bytes / 10) / 100;
