import type { UniquePath } from '../schema/attribute-places.js';
import type { Values } from '../values.js';
import type { StoredDocument } from './loaded.js';
import { type Match, otherThan } from './matches.js';

/*
 * Fields of a stored entry besides its attributes: `_ranks`, the places that its links have in the lists of their targets, those to files
 * by the attribute that has the files, or the components with them; `_group`, the number that its localizations share; `_unique`, the
 * values of unique attributes in lists of components; `_trigrams`, the runs of three characters of texts, by which parts of them are found.
 */

/** The fields of an entry that is made with these ranks, by the attribute that links. */
export const initialRanks = (ranks: Values): Values => ({ _ranks: ranks });

/** The path of the rank of a relation; for a relation to many, of the rank of one link. */
export const rankPath = (name: string, id?: number): string => `_ranks.${name}${id === undefined ? '' : `.${String(id)}`}`;

/** The rank of what was linked at a time, in milliseconds. 16 ranks lie between two milliseconds, so that others fit in between. */
export const rankOfTime = (time: number): number => time * 16;

/** The rank of a relation to one, or of the files of an attribute; the ranks of a relation to many by the id of the target; undefined if none. */
export const storedRank = (document: StoredDocument, name: string): unknown =>
  (document['_ranks'] as StoredDocument | undefined)?.[name]; // written in this form

/** The form of a write: a whole document, or values by path of a stored one. */
type WriteMode = 'create' | 'update';

/** Adds the ranks of a relation to the values that are written. */
export function setRanks(values: Record<string, unknown>, name: string, ranks: unknown, mode: WriteMode): void {
  if (mode === 'update') values[rankPath(name)] = ranks;
  else values['_ranks'] = { ...(values['_ranks'] as Values | undefined), [name]: ranks }; // written here
}

interface HeldUniques {
  readonly paths: readonly UniquePath[];
  /** Their values, by their names joined by slashes. */
  readonly held: Readonly<Record<string, readonly unknown[]>>;
}

/** Adds the values of unique attributes in lists of components to the written values. */
export function setUniques(values: Record<string, unknown>, { paths, held }: HeldUniques, mode: WriteMode): void {
  if (mode === 'update') for (const path of paths) values[uniqueField(path)] = held[path.names.join('/')] ?? null;
  else if (Object.keys(held).length > 0) values['_unique'] = held;
}

/**
 * The document field whose index makes an attribute unique. Values in lists have a field of their own beside them: an index on
 * the path itself would contain nulls as well.
 */
export const uniqueField = ({ names, inList }: UniquePath): string => (inList ? `_unique.${names.join('/')}` : names.join('.'));

/** The names that lead to the attribute of such a field. */
export const uniqueNames = (field: string): readonly string[] => field.replace('_unique.', '').split(/[./]/);

/** The number that the localizations of an entry share. */
export const groupOf = (document: StoredDocument): number => Number(document['_group']);

/** The field by which an entry belongs to a group. */
export const inGroup = (group: number): Match => ({ _group: group });

/** Entries of other groups. */
export const outsideGroup = (group: number): Match => ({ _group: otherThan(group) });

/** The other localizations of an entry. */
export const otherLocalesOf = (document: StoredDocument): Match => ({
  _group: document['_group'],
  _id: otherThan(document['_id']),
});

/** Whether a unique index is the one of groups and their locales. */
export const isGroupField = (field: string): boolean => field === '_group';

/** The path of the trigrams of an attribute. */
export const trigramPath = (attribute: string): string => `_trigrams.${attribute}`;
