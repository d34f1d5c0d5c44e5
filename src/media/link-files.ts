import { nextRank } from '#content/build-parts.js';
import { unfitFiles } from '#content/check-body.js';
import type { ContentContext } from '#content/content-context.js';
import { refuseOrLog, type Undone } from '#content/refuse-or-log.js';
import { ruleFilter } from '#content/rules-on-writes.js';
import { sharedNames, syncLocales } from '#content/sync-locales.js';
import { missingActions, validationError } from '#base/errors.js';
import { changeOne } from '#store/write/compile-change.js';
import { linkRanks } from '#store/form/layout.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { matchesAll } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { type EntryDocument } from '#store/write/write-entries.js';
import { actionOf, allows } from '#model/query/access.js';
import type { BindContext } from '#model/query/bind-context.js';
import { type ContentType, type LinkAttribute, servedAs } from '#model/schema/content-type.js';
import { splitPath } from '#model/schema/findings.js';
import { hasParts, listsParts, uidOfPart } from '#model/schema/parts.js';
import { decodeId, isRecord, type Values } from '#base/values.js';
import { findComponent, type FoundPart, ownersOf } from './find-component.js';
import type { MediaContext } from './media.js';

/** The attribute of an entry or component that files are linked to. Requests name it by `ref`, `refId` and `field`. */
export interface LinkTarget {
  readonly type: ContentType;
  readonly id: number;
  /** The name, or the path in components: `blocks.0.image`. */
  readonly field: string;
}

/**
 * Returns the entry or component to link new files to; null if the parameters do not name one. Throws a ValidationError if the
 * type is unknown, a ForbiddenError if the caller may not update its entries.
 */
export function findTarget(
  { ref, refId, field }: { readonly ref: unknown; readonly refId: unknown; readonly field: unknown },
  { content, media }: MediaContext,
): LinkTarget | null {
  const names = Object.entries({ ref, refId, field });
  const missing = names.filter(([, value]) => !isNamed(value)).map(([name]) => name);
  if (missing.length === names.length) return null;
  if (missing.length > 0) {
    const message = (name: string): string => `${name} is missing: ref, refId and field link a file together`;
    refuseOrLog(
      missing.map((name) => unlinked([name], message(name))),
      content,
    );
    return null;
  }
  const type = content.bind.registry.types.get(String(ref));
  if (type === undefined) throw validationError('Invalid parameter ref');
  const lacking = media.settings.requireUpdate ? missingUpdates(type, content) : [];
  if (lacking.length > 0) throw missingActions(lacking);
  return { type, id: decodeId(refId), field: String(field) };
}

const isNamed = (value: unknown): boolean => (typeof value === 'string' && value !== '') || typeof value === 'number';

/**
 * Returns the actions that the caller lacks to update entries of the type or, for a component, of all types that may contain it.
 */
function missingUpdates(type: ContentType, { bind }: ContentContext): readonly string[] {
  const owners = type.kind === 'component' ? ownersOf(type, bind.registry) : [type];
  return owners.map((owner) => actionOf(owner, 'update')).filter((action) => !allows(bind.access, action));
}

/** Returns what a request asks for and does not get, because a file is linked to nothing. */
const unlinked = (path: readonly string[], message: string, cause = message): Undone => ({
  path,
  message,
  cause: `upload: ${cause}`,
  remedy: 'the file is stored and linked to nothing; correct the client',
});

/** Names of clients are shortened in the log. */
const shorten = (name: string): string => JSON.stringify(name.slice(0, 60));

/**
 * Links files to an entry or component inside a transaction. Refuses or tells that there is no such target, or that the attribute
 * does not allow a file.
 */
export async function linkFiles(
  { type, id, field }: LinkTarget,
  files: readonly LoadedEntry[],
  content: ContentContext,
): Promise<void> {
  const isComponent = type.kind === 'component';
  const part = isComponent ? await findComponent(type, id, content) : await findEntry(type, id, content);
  if (part === null) {
    const message = `refId names no entry of ${type.uid} that the caller may change`;
    return refuseOrLog([unlinked(['refId'], message)], content);
  }
  if (await linkWithin({ ...part, path: [...part.path, ...splitPath(field)] }, files, content)) return;
  refuseOrLog([unlinked(['field'], `field ${shorten(field)} is not a media attribute of ${type.uid}`)], content);
}

/** A place inside an entry. The path consists of names of attributes and positions in lists. */
interface LinkPlace {
  readonly type: ContentType;
  readonly id: number;
  readonly path: readonly string[];
}

/** Links files at a place inside an entry, such as `['blocks', '0', 'image']`, like `linkFiles`. */
export async function linkAt(
  { type, id, path }: LinkPlace,
  files: readonly LoadedEntry[],
  content: ContentContext,
): Promise<void> {
  const holder = await findEntry(type, id, content);
  if (holder !== null && (await linkWithin({ ...holder, path }, files, content))) return;
  const name = shorten(`files.${path.filter((part) => !/^\d+$/.test(part)).join('.')}`);
  const message = `files.${path.join('.')} is not a media attribute of the entry`;
  const cause = `${name} is not a media attribute of ${type.uid}, or not there`;
  refuseOrLog([unlinked(['files', ...path], message, cause)], content);
}

/** Finds an entry that the caller may change; null if there is none. */
async function findEntry(owner: ContentType, id: number, content: ContentContext): Promise<FoundPart | null> {
  const filter = matchesAll({ _id: id }, await ruleFilter(owner, content));
  const [document] = await findStored(content.store.database, owner.collection, { match: filter, limit: 1 });
  return document === undefined ? null : { owner, document: document as EntryDocument, path: [] }; // entries have numeric ids
}

/** Links files at a place inside an entry. Returns false if it is no media attribute, or is hidden from the caller. */
async function linkWithin(
  { owner, document, path }: FoundPart,
  files: readonly LoadedEntry[],
  content: ContentContext,
): Promise<boolean> {
  const location = locate(owner, document, path, content.bind);
  if (location === null) return false;
  const { attribute, holder } = location;
  const mimes = files.map((file) => String(file.document['mime']));
  refuseOrLog(unfitFiles(owner, path.join('.'), { mimes, allowedTypes: attribute.allowedTypes }), content);
  const ids = idsOf(files);
  const value = attribute.many ? joinList(holder[attribute.name], ids) : (ids[0] ?? null);
  const match = { _id: document._id };
  const change = { set: { [path.join('.')]: value, [linkRanks.path(path[0] ?? '')]: nextRank() } };
  await bulkWrite(content.store, owner.collection, [changeOne(match, change)]);
  const names = sharedNames(owner, path.slice(0, 1));
  const [written] = names.length === 0 ? [] : await findStored(content.store.database, owner.collection, { match, limit: 1 });
  if (written !== undefined) await syncLocales(owner, written, { names }, content);
  return true;
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
export const idsOf = (files: readonly LoadedEntry[]): number[] => files.map(({ document }) => Number(document['_id']));

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

/** Returns the fields of an upload whose files are not stored, because they have other names. */
export const otherFields = (names: readonly string[]): readonly Undone[] =>
  [...new Set(names)].map((name) => ({
    path: [name],
    message: `upload: the files in the field ${shorten(name)} are not stored`,
    remedy: 'files of an upload belong into the field "files"',
  }));
