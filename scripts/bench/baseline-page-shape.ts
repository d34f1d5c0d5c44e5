import type { Document } from 'mongodb';
import { shapeAuthor, shapeCategory, shapeTag } from './baseline-shape.js';

/** The links of pages: ids by collection. */
export interface LinkedIds {
  readonly authors: ReadonlySet<number>;
  readonly files: ReadonlySet<number>;
  readonly categories: ReadonlySet<number>;
  readonly tags: ReadonlySet<number>;
}

/** The linked entries by collection and id, in the form of the API. Each is shaped once, however often it is linked to. */
export type Related = { readonly [Name in keyof LinkedIds]: ReadonlyMap<number, Document> };

const shapes: Readonly<Record<keyof LinkedIds, (document: Document) => Document>> = {
  authors: shapeAuthor,
  files: shapeFile,
  categories: shapeCategory,
  tags: shapeTag,
};

/** Shapes documents of a collection, for `Related`. */
export const shapeAll = (name: keyof LinkedIds, documents: readonly Document[]): ReadonlyMap<number, Document> =>
  new Map(documents.map((document) => [document._id as number, shapes[name](document)]));

/** Every id that the sections and blocks of pages link to. */
export function linkedIds(pages: readonly Document[]): LinkedIds {
  // As the data set stores them.
  const sections = pages.flatMap((page) => page.sections as Document[]);
  const blocks = pages.flatMap((page) => page.blocks as Document[]);
  const pick = (parts: readonly Document[], name: string): number[] => parts.flatMap((part) => (part[name] ?? []) as number[]);
  return {
    authors: new Set([...pick(sections, 'author'), ...pick(blocks, 'author')]),
    files: new Set([...pick(sections, 'cover'), ...pick(blocks, 'images')]),
    categories: new Set(sections.map(({ link }) => (link as Document).category as number)),
    tags: new Set(pick(blocks, 'tags')),
  };
}

/** A page in the envelope of the API. */
export function shapePage(page: Document, related: Related): unknown {
  const { title, slug, createdAt, updatedAt, publishedAt } = page;
  const sections = (page.sections as Document[]).map((section) => shapeSection(section, related));
  const blocks = (page.blocks as Document[]).map((block) => shapeBlock(block, related));
  return { id: page._id as number, attributes: { title, slug, createdAt, updatedAt, publishedAt, sections, blocks }, meta: {} };
}

function shapeSection({ id, heading, text, author, cover, link }: Document, { authors, files, categories }: Related): Document {
  const { id: linkId, label, url, category } = link as Document;
  return {
    id,
    heading,
    text,
    author: one(author, authors),
    cover: one(cover, files),
    link: { id: linkId, label, url, category: one(category, categories) },
  };
}

function shapeBlock({ id, __component, ...block }: Document, { authors, files, tags }: Related): Document {
  const { text, title, author, images } = block;
  if (__component === 'page.quote') return { id, __component, text, author: one(author, authors) };
  if (__component === 'page.gallery') return { id, __component, title, images: many(images, files) };
  return { id, __component, title, tags: many(block.tags, tags) };
}

const one = (id: unknown, shaped: ReadonlyMap<number, Document>) => ({ data: shaped.get(id as number) ?? null });

const many = (ids: unknown, shaped: ReadonlyMap<number, Document>) => ({
  data: (ids as number[]).flatMap((id) => shaped.get(id) ?? []),
});

/** All but the folder, which is private. */
function shapeFile(file: Document): Document {
  const { name, alternativeText, caption, width, height, formats, hash, ext, mime, size, url } = file;
  const { _id, previewUrl, provider, provider_metadata, createdAt, updatedAt } = file;
  const image = { name, alternativeText, caption, width, height, formats, hash, ext, mime, size, url };
  return { id: _id, attributes: { ...image, previewUrl, provider, provider_metadata, createdAt, updatedAt } };
}
