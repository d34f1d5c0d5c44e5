import type { Document } from 'mongodb';
import type { UniquePath } from '#model/schema/attribute-places.js';
import { isRecord, only, type Values } from '#base/values.js';
import type { StoredDocument } from './loaded.js';
import { is, type Match } from './matches.js';
import { storedIds } from '#model/schema/stored-values.js';
import type { ContentType } from '#model/schema/content-type.js';
import { storedTrigrams } from './trigrams.js';

/*
 * Fields of a stored entry besides its attributes:
 * - `_ranks`: the positions of its links in the lists of their targets; for files, by the attribute that has the files or the
 *   components with them; for its group, by `localizations`
 * - `_group`: the number that its localizations share
 * - `_leads`: true in the entry of a group that stands for it in indexes of unique values
 * - `_unique`: the values of unique attributes in lists of components
 * - `_moved`: when it came into its stage, and who moved it there, of types with a workflow
 * - `__version`: the number of its updates (`loaded.ts`)
 * - `_trigrams`: the sequences of three characters of texts, for searches in them
 * - `_draft`: the draft beside a published entry (`draft.ts`)
 */

/** Returns the fields of a new entry with these ranks, which are given by the attribute that links. */
const initialRanks = (ranks: Values): Values => ({ _ranks: ranks });

/** Returns the path of the rank of a relation; with `id`, of one link of a relation to many. */
const rankPath = (name: string, id?: number): string => `_ranks.${name}${id === undefined ? '' : `.${String(id)}`}`;

/**
 * Returns the rank of a link that was made at a time in milliseconds. There are 16 ranks for each millisecond, so that others fit
 * in between.
 */
const rankOfTime = (time: number): number => time * 16;

/** Returns what is stored as the rank of a relation, or as its ranks by the ids of the targets. Other programs may store any value. */
const storedRanks = (document: StoredDocument, name: string): unknown =>
  isRecord(document['_ranks']) ? document['_ranks'][name] : undefined;

/**
 * Returns the rank of a relation to one, or of the files of an attribute; of the link to a target in a relation to many; null if
 * there is none.
 */
function storedRank(document: StoredDocument, name: string, target?: unknown): number | null {
  const ranks = storedRanks(document, name);
  const rank = isRecord(ranks) ? ranks[String(target)] : ranks;
  return typeof rank === 'number' && Number.isFinite(rank) ? rank : null;
}

/** The fields whose parts are written one by one, so that they must be objects. */
export const fieldsOfParts: readonly string[] = ['_ranks', '_unique', '_trigrams'];

/** Fields that follow from the attributes of a document. */
const derivedFields: ReadonlySet<string> = new Set(['_unique', '_trigrams']);

/** Returns a document without the fields that follow from its attributes. */
export const withoutDerivedFields = (document: StoredDocument): StoredDocument =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !derivedFields.has(name)));

/** The version of the tokens of a user, which increases. */
export const versionField = '_tokenVersion';

/** The form of a write: a whole document, or values by path of a stored one. */
type WriteMode = 'create' | 'update';

/** Adds the ranks of a relation to the values that are written. */
function setRanks(values: Record<string, unknown>, name: string, ranks: unknown, mode: WriteMode): void {
  if (mode === 'update') values[rankPath(name)] = ranks;
  else values['_ranks'] = { ...(values['_ranks'] as Values | undefined), [name]: ranks }; // written here
}

interface HeldUniques {
  readonly paths: readonly UniquePath[];
  /** The values of the paths, by their names joined by slashes. */
  readonly values: Readonly<Record<string, readonly unknown[]>>;
}

/** Adds the values of unique attributes in lists of components to the values that are written. */
function setUniques(values: Record<string, unknown>, { paths, values: held }: HeldUniques, mode: WriteMode): void {
  if (mode === 'update') for (const path of paths) values[uniqueField(path)] = held[path.names.join('/')] ?? null;
  else if (Object.keys(held).length > 0) values['_unique'] = held;
}

/**
 * Returns the document field whose index makes an attribute unique. Values in lists are copied to a separate field, because an
 * index on the path itself would contain nulls as well.
 */
const uniqueField = ({ names, inList }: UniquePath): string => (inList ? `_unique.${names.join('/')}` : names.join('.'));

/** Returns the names that lead to the attribute of such a field. */
const uniqueNames = (field: string): readonly string[] => field.replace('_unique.', '').split(/[./]/);

/**
 * The name under which the ranks of an entry contain its place in its group. The entry that was localized last comes first, then
 * the entry from which that was made.
 */
const orderField = 'localizations';

/** The field with the number that the localizations of an entry share. */
const groupField = '_group';

/** Returns whether a value is the number of a group. Other programs may store entries without one. */
const isGroup = (value: unknown): value is number => Number.isInteger(value);

/** Returns the number that the localizations of an entry share. An entry without one is alone in the group of its id. */
const groupOf = ({ _group, _id }: StoredDocument): number => Number(isGroup(_group) ? _group : _id);

/** Compiles `groupOf`. */
const groupNumber: Document = { $cond: [{ $isNumber: `$${groupField}` }, `$${groupField}`, '$_id'] };

/** Returns the field that makes an entry a member of a group; also a match for the group. */
const inGroup = (group: number): Match => ({ _group: group });

/** Returns a match for the other localizations of an entry. */
const otherLocalesOf = (document: StoredDocument): Match => ({
  _group: groupOf(document),
  _id: is.otherThan(document['_id']),
});

/** Returns whether a unique index with this first field is the one of groups and locales. */
const isGroupField = (field: string): boolean => field === groupField;

/**
 * The field that is true in one entry of each localization group, for types with unique values that all locales share. Only these
 * entries are in the indexes of such values, because an index cannot allow equal values within a group and refuse them elsewhere.
 * The entry that leads passes this on when it is deleted.
 */
const leadField = '_leads';

/** Makes an entry lead its group; also a match for the entries that lead. */
const leading: Values = { [leadField]: true };

/** Returns whether an entry leads its group. */
const leadsGroup = (document: StoredDocument): boolean => document[leadField] === true;

/** Returns the path of the trigrams of an attribute. */
export const trigramPath = (attribute: string): string => `_trigrams.${attribute}`;

/** The positions of links in the lists of their targets. */
export const linkRanks = {
  initial: initialRanks,
  path: rankPath,
  ofTime: rankOfTime,
  allOf: storedRanks,
  of: storedRank,
  set: setRanks,
  order: orderField,
};

/** The values that an index makes unique. */
export const uniqueFields = {
  set: setUniques,
  field: uniqueField,
  names: uniqueNames,
};

/** The group of the localizations of an entry. */
export const localeGroup = {
  field: groupField,
  isNumber: isGroup,
  of: groupOf,
  number: groupNumber,
  match: inGroup,
  others: otherLocalesOf,
  isField: isGroupField,
  leadField,
  leading,
  isLed: leadsGroup,
};

/** A stored polymorphic link. */
interface MorphLink {
  readonly __type: string;
  readonly id: number;
  /** The position of the owner of the link in the list of its target. */
  readonly rank?: number;
}

/** Returns the ids of an owning relation. A relation to one stores a value, a relation to many an array. */
export const linkedIds = (holder: Document, name: string): readonly number[] => storedIds(holder[name]);

/** Returns the polymorphic links of an attribute. Other values, which other programs or a former model have stored, are left out. */
export const morphLinks = (value: unknown): readonly MorphLink[] => only(listOf(value), isMorphLink);

const isMorphLink = (item: unknown): item is MorphLink =>
  isRecord(item) && typeof item['__type'] === 'string' && typeof item['id'] === 'number';

/** Returns stored components as a list: one, several, or none. Values that are not documents are left out. */
export const partsOf = (value: unknown): readonly Document[] => only(listOf(value), isPart);

const isPart = (item: unknown): item is Document => isRecord(item) && !('_bsontype' in item);

const none: readonly unknown[] = [];

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? none : [value];
}

/** Returns the attributes of a type whose trigrams are stored. */
export const trigramAttributes = ({ attributes }: ContentType): readonly string[] =>
  [...attributes.values()].flatMap((attribute) =>
    attribute.kind === 'scalar' && attribute.search?.kind === 'trigram' ? [attribute.name] : [],
  );

/** Returns the field of a document of a type that stores its trigrams; none if the type has none. */
export function trigramsOfDocument(type: ContentType, document: Document): Values {
  const attributes = trigramAttributes(type);
  return attributes.length === 0 ? {} : storedTrigramsOf(attributes, document);
}

/** Returns the field of a document that stores the trigrams of these attributes. */
export const storedTrigramsOf = (attributes: readonly string[], document: Document): Values => ({
  _trigrams: Object.fromEntries(attributes.map((name) => [name, storedTrigrams(document[name])])),
});
