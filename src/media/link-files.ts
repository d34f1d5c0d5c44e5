import { nextRank } from '../content/build-parts.js';
import { unfitFiles } from '../content/check-body.js';
import type { ContentContext } from '../content/content-context.js';
import { refuseOrTell } from '../content/refuse-or-tell.js';
import { ruleFilter } from '../content/rules-on-writes.js';
import { sharedNames, syncLocales } from '../content/sync-locales.js';
import { changeOne } from '../mongo/write/compile-change.js';
import { rankPath } from '../mongo/form/layout.js';
import type { Loaded } from '../mongo/form/loaded.js';
import { matchesAll } from '../mongo/form/matches.js';
import { findStored } from '../mongo/stored.js';
import { bulkWrite } from '../mongo/write/bulk-write.js';
import { type EntryDocument } from '../mongo/write/write-entries.js';
import type { BindContext } from '../query/bind-context.js';
import { type ContentType, type LinkAttribute, servedAs } from '../schema/content-type.js';
import { hasParts, listsParts, uidOfPart } from '../schema/parts.js';
import { isRecord, type Values } from '../values.js';
import { findComponent } from './find-component.js';

/** The attribute of an entry or component that files are linked to. Requests name it by `ref`, `refId` and `field`. */
export interface LinkTarget {
  readonly type: ContentType;
  readonly id: number;
  readonly field: string;
}

/** Whether files were linked; if not, what is missing or hidden from the caller: the entry, or a media attribute in it. */
export type Linking = 'linked' | 'noEntry' | 'noAttribute';

/**
 * Links files to an entry or component inside a transaction. As in Strapi v4, does nothing if there is no such target. Refuses or
 * tells that the attribute does not allow a file.
 */
export async function linkFiles(
  { type, id, field }: LinkTarget,
  files: readonly Loaded[],
  content: ContentContext,
): Promise<Linking> {
  if (type.kind === 'component') {
    const found = await findComponent(type, id, content);
    if (found === null) return 'noEntry';
    return linkWithin({ type: found.owner, document: found.document, path: [...found.path, field] }, files, content);
  }
  return linkAt({ type, id, path: [field] }, files, content);
}

/** A place inside an entry. The path consists of names of attributes and positions in lists. */
interface LinkPlace {
  readonly type: ContentType;
  readonly id: number;
  readonly path: readonly string[];
}

/** Links files at a place inside an entry, such as `['blocks', '0', 'image']`, like `linkFiles`. */
export async function linkAt({ type, id, path }: LinkPlace, files: readonly Loaded[], content: ContentContext): Promise<Linking> {
  const filter = matchesAll({ _id: id }, await ruleFilter(type, content));
  const [document] = await findStored(content.store.database, type.collection, { match: filter, limit: 1 });
  if (document === undefined) return 'noEntry';
  return linkWithin({ type, document: document as EntryDocument, path }, files, content); // entries have numeric ids
}

/** A place inside an entry that is already read. */
interface DocumentPlace {
  readonly type: ContentType;
  readonly document: EntryDocument;
  readonly path: readonly string[];
}

async function linkWithin(
  { type, document, path }: DocumentPlace,
  files: readonly Loaded[],
  content: ContentContext,
): Promise<Linking> {
  const found = locate(type, document, path, content.bind);
  if (found === null) return 'noAttribute';
  const { attribute, holder } = found;
  const mimes = files.map((file) => String(file.document['mime']));
  refuseOrTell(unfitFiles(type, path.join('.'), { mimes, allowedTypes: attribute.allowedTypes }), content);
  const ids = idsOf(files);
  const value = attribute.many ? joinList(holder[attribute.name], ids) : (ids[0] ?? null);
  const change = { set: { [path.join('.')]: value, [rankPath(path[0] ?? '')]: nextRank() } };
  await bulkWrite(content.store, type.collection, [changeOne({ _id: document._id }, change)]);
  await syncLocales(type, document._id, sharedNames(type, path.slice(0, 1)), content);
  return 'linked';
}

/**
 * Returns a list with uploaded files inserted as in Strapi v4: behind the leading ids that ascend, which are the first file and
 * earlier uploads, and before the rest of the list.
 */
function joinList(stored: unknown, files: readonly number[]): number[] {
  const ids: readonly number[] = Array.isArray(stored) ? (stored as number[]) : []; // stored as ids
  const rest = ids.findIndex((id, index) => id < (ids[index - 1] ?? id));
  return rest === -1 ? [...ids, ...files] : [...ids.slice(0, rest), ...files, ...ids.slice(rest)];
}

/** Returns the ids of the entries of files. */
export const idsOf = (files: readonly Loaded[]): number[] => files.map(({ document }) => Number(document['_id']));

interface Located {
  readonly attribute: LinkAttribute;
  /** The document or component that has the attribute. */
  readonly holder: Values;
}

function locate(owner: ContentType, holder: unknown, path: readonly string[], bind: BindContext): Located | null {
  const { registry, access } = bind;
  const [given = '', ...rest] = path;
  const name = servedAs(owner, given);
  const attribute = owner.attributes.get(name);
  if (attribute === undefined || access.hidden.get(owner.uid)?.has(name) === true || !isRecord(holder)) return null;
  if (attribute.kind === 'media') return rest.length === 0 ? { attribute, holder } : null;
  if (!hasParts(attribute)) return null;
  const [index = '', ...last] = rest;
  const list = holder[name];
  const isList = listsParts(attribute);
  const item: unknown = !isList ? list : Array.isArray(list) && /^\d{1,4}$/.test(index) ? list[Number(index)] : undefined;
  const type = isRecord(item) ? registry.types.get(uidOfPart(attribute, item)) : undefined;
  return type === undefined ? null : locate(type, item, isList ? last : rest, bind);
}
