import type { Document } from 'mongodb';
import { isRecord, mapValues, type Values } from '#base/values.js';
import { draftField } from '#model/schema/drafts-beside.js';
import { fieldsOfParts } from './layout.js';
import { type StoredDocument, updatesField } from './loaded.js';
import { is, type Match } from './matches.js';

/*
 * The draft beside a published entry is a part of its document: the attributes that the draft has, in their stored form, with the fields
 * of an entry that belong to them (`_ranks`, `_unique`, `_trigrams`), a version of its own, and `_links`: of relations that other entries
 * store, the ids that they will have.
 */

/** The field that every draft has: the time at which it was saved. */
export const draftMark = `${draftField}.updatedAt`;

/** Matches entries with a draft beside them. An index has only these. */
export const hasDraft: Match = { [draftMark]: { $exists: true } };

/** Matches all other entries. */
const hasNoDraft: Match = { [draftMark]: is.absent };

/** The field of a draft with the ids of relations that other entries store. */
const linksField = '_links';

/** Returns the draft beside an entry; null if there is none. */
export const draftOf = ({ [draftField]: draft }: StoredDocument): StoredDocument | null => (isRecord(draft) ? draft : null);

/** Returns the ids that a draft has in place of those that other entries store, by attribute. */
const draftLinks = ({ [linksField]: links }: StoredDocument): Readonly<Record<string, readonly number[]>> =>
  (isRecord(links) ? links : {}) as Readonly<Record<string, readonly number[]>>; // written by `settingDraftLinks`

/** Returns the values of a draft that set such ids. */
const settingDraftLinks = (name: string, ids: readonly number[]): Values => ({ [`${linksField}.${name}`]: ids });

/** Returns an entry with its draft in its place; an entry without one unchanged. */
export function withDraft<Stored extends StoredDocument>(document: Stored): Stored {
  const draft = draftOf(document);
  if (draft === null) return document;
  const parts = fieldsOfParts.map((name) => [name, merged(document[name], draft[name])] as const);
  return { ...document, ...draft, ...Object.fromEntries(parts.filter(([, part]) => part !== undefined)) };
}

/** Returns an entry that its draft has become. */
const taken = (document: StoredDocument): StoredDocument =>
  Object.fromEntries(Object.entries(withDraft(document)).filter(([name]) => name !== draftField && name !== linksField));

const merged = (part: unknown, ofDraft: unknown): unknown =>
  isRecord(part) && isRecord(ofDraft) ? { ...part, ...ofDraft } : (ofDraft ?? part);

/** Returns the stage that puts the drafts in the place of their entries, but those of some ids. */
export const draftStage = (hidden: readonly unknown[] = []): Document => ({
  $replaceWith: {
    $cond: [
      {
        $and: [
          { $eq: [{ $type: `$${draftField}` }, 'object'] },
          ...(hidden.length === 0 ? [] : [{ $not: [{ $in: ['$_id', { $literal: hidden }] }] }]),
        ],
      },
      {
        $mergeObjects: [
          '$$ROOT',
          `$${draftField}`,
          Object.fromEntries(
            fieldsOfParts.map((name) => [name, { $mergeObjects: [`$${name}`, `$${draftField}.${name}`] }]),
          ) as Document,
        ],
      },
      '$$ROOT',
    ],
  },
});

/** Fields of an entry that a draft never changes. */
export const undrafted: ReadonlySet<string> = new Set(['_id', '_group', 'locale', 'publishedAt', 'createdAt', 'createdBy']);

/** Returns whether a draft may change an attribute. */
const isDrafted = (name: string): boolean => !undrafted.has(name);

/** Returns the update of an entry as one of the draft beside it. */
export const inDraft = (update: Document): Document =>
  mapValues<unknown, unknown>(update, (values) =>
    isRecord(values)
      ? Object.fromEntries(Object.entries(values).map(([path, value]) => [`${draftField}.${path}`, value]))
      : values,
  );

/** Returns the values by path that make a draft its entry. */
function draftValues(draft: StoredDocument): Values {
  return Object.fromEntries(
    Object.entries(draft).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
      if (name === updatesField || name === linksField || name === '_trigrams') return [];
      if (!fieldsOfParts.includes(name) || !isRecord(value)) return [[name, value]];
      return Object.entries(value).map(([key, part]) => [`${name}.${key}`, part] as const);
    }),
  );
}

/** Returns the change that removes the draft of an entry. */
const withoutDraft: { readonly unset: readonly string[] } = { unset: [draftField] };

/** Returns a match for an entry whose draft has not changed since it was read. */
const sameDraft = (document: StoredDocument): Match => {
  const draft = draftOf(document);
  const same = draft === null ? hasNoDraft : { [`${draftField}.${updatesField}`]: draft[updatesField] };
  return { _id: document['_id'], publishedAt: is.otherThan(null), ...same };
};

/** The draft beside a stored entry, for the operations on content. */
export const storedDraft = {
  of: draftOf,
  links: draftLinks,
  settingLinks: settingDraftLinks,
  values: draftValues,
  inPlace: withDraft,
  taken,
  removed: withoutDraft,
  exists: hasDraft,
  absent: hasNoDraft,
  same: sameDraft,
  changes: isDrafted,
};
