import { ApiError, hasCode } from '#base/errors.js';
import { heldUniques, listedUniquePaths } from '#model/schema/attribute-places.js';
import type { Query } from '#model/query/ast.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import { optionDefaults } from '#model/schema/added-attributes.js';
import { publicationRefusal } from '#model/schema/model-option.js';
import { hasSchedule, scheduledNames } from '#model/schema/scheduled.js';
import { localeGroup, uniqueFields } from '#store/form/layout.js';
import { storedDraft } from '#store/form/draft.js';
import { type LoadedEntry, type StoredDocument, updatesField } from '#store/form/loaded.js';
import { DuplicateKey } from '#store/send/driver-errors.js';
import { findStored, isStored } from '#store/stored.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { changeMany } from '#store/write/compile-change.js';
import { fitDocument, type FormerTargets } from '#store/write/fit-document.js';
import { type FormerLinks, linkAgain } from '#store/write/former-links.js';
import { type EntryDocument, entryStore } from '#store/write/write-entries.js';
import { mayLead } from './build-document.js';
import type { ContentContext } from './content-context.js';
import { copyValues } from './copy-values.js';
import { storedForCode } from './data-for-code.js';
import { linksThatFit } from './links-that-fit.js';
import { refuseBroken } from './rules-on-writes.js';
import { readWrittenEntry, runWrite } from './run-write.js';
import { sharedAttributes } from './sync-locales.js';
import { refusedError } from './unique-errors.js';

/** An entry that was deleted. */
interface FormerEntry {
  /** The document as it was stored, without the fields that follow from its attributes. */
  readonly document: StoredDocument;
  /** The types that its relations led to. */
  readonly targets: FormerTargets;
  /** The links to it that other entries stored. */
  readonly links: readonly FormerLinks[];
}

interface Restoring {
  readonly query: Query;
  /** Whether a published entry becomes a draft. */
  readonly asDraft: boolean;
}

interface Restored {
  /** The entry as the query selects it. */
  readonly entry: LoadedEntry;
  /** The paths of values that the model cannot take any more. */
  readonly leftOut: readonly string[];
}

/**
 * Stores a deleted entry again, with its id, its times and its components, and with the links from both sides whose other end still exists
 * and has room. It joins its localization group if there are others of it, and then has the values that they share. Times of scheduled
 * publishing that have passed are left out. To code and subscribers it is a create; what code before it changes is not stored.
 * Runs inside a transaction. Throws a 409 that names what another entry has: the id, the locale in the group, or unique values; and a
 * ForbiddenError if the entry breaks the caller's rule.
 */
export async function restoreEntry(
  type: ContentType,
  former: FormerEntry,
  { query, asDraft }: Restoring,
  context: ContentContext,
): Promise<Restored> {
  const { registry } = context.bind;
  const { document: fitted, leftOut } = fitDocument(type, former.document, { registry, targets: former.targets });
  const id = Number(fitted['_id']);
  if (await isStored(context.store.database, type.collection, { _id: id })) throw idTaken(type, id);
  const linked = await linksThatFit(type, fitted, context);
  const document = await inGroup(type, withState(type, linked, asDraft), context);
  const selection = bindEntrySelection(query, type, context.bind);
  const data = storedForCode(type, document, registry);
  const entry = await runWrite({ action: 'create', type, data, query, selection }, context, {
    run: async (changed, inside) => {
      if (changed !== data) inside.notices.logOnce(`${type.uid}: code before a create cannot change an entry that is restored`);
      await insert(type, document, former.links, inside);
      return readWrittenEntry(document, selection, inside);
    },
    written: () => ({ id }),
  });
  return { entry, leftOut };
}

/** Returns a document with the publication state in which it is restored, and with the next version. */
function withState(type: ContentType, document: StoredDocument, asDraft: boolean): StoredDocument {
  const isDraft = asDraft || publicationRefusal(type, document) !== null;
  const passed = hasSchedule(type) ? scheduledNames.filter((name) => isPast(document[name])) : [];
  const updates = Number(document[updatesField] ?? 0);
  const { publishedAt = document['createdAt'] ?? null } = document; // as entries of a type that gets drafts later
  return {
    ...optionDefaults(type),
    ...(isDraft ? storedDraft.taken(document) : document), // as an unpublication leaves it
    ...(type.draftAndPublish && { publishedAt: isDraft ? null : publishedAt }),
    ...Object.fromEntries(passed.map((name) => [name, null])),
    [updatesField]: (Number.isFinite(updates) ? updates : 0) + 1,
  };
}

const isPast = (time: unknown): boolean => time instanceof Date && time.getTime() <= Date.now();

/** Returns a document as a member of its localization group, which it leads if it is alone. Throws a 409 for an unknown locale. */
async function inGroup(type: ContentType, document: StoredDocument, context: ContentContext): Promise<EntryDocument> {
  const rest = { ...document, [localeGroup.leadField]: undefined };
  const { bind, store } = context;
  const locale = rest['locale'] ?? bind.defaultLocale;
  if (type.localized && !(typeof locale === 'string' && bind.locales.includes(locale)))
    throw taken(`The locale ${String(locale)} does not exist any more`, [
      { path: ['locale'], message: "This locale doesn't exist" },
    ]);
  const [source] = type.localized
    ? await findStored(store.database, type.collection, { match: localeGroup.others(rest), sort: { _id: 1 }, limit: 1 })
    : [];
  const shared = source === undefined ? {} : await copyValues(type, source, sharedAttributes(type), context);
  const values = { ...rest, ...shared };
  const uniqueValues = heldUniques(listedUniquePaths(type, bind.registry), values);
  const complete: Record<string, unknown> = {
    ...values,
    ...(type.localized && { locale, ...localeGroup.match(localeGroup.of(rest)) }),
    ...(source === undefined && mayLead(type, context) && localeGroup.leading),
  };
  uniqueFields.set(complete, { paths: [], values: uniqueValues }, 'create');
  return { ...complete, _id: Number(rest['_id']) };
}

async function insert(
  type: ContentType,
  document: EntryDocument,
  links: readonly FormerLinks[],
  context: ContentContext,
): Promise<void> {
  const { store, bind } = context;
  const group = type.localized ? localeGroup.of(document) : null;
  try {
    await entryStore.insert(store, type.collection, document);
  } catch (error) {
    if (hasCode(error, 'id-taken')) throw idTaken(type, document._id);
    if (!(error instanceof DuplicateKey)) throw error;
    throw asConflict(await refusedError(error, { type, data: document, id: null, group }, context), type);
  }
  // so that a write of values which the group shares is before or after this one
  if (group !== null)
    await bulkWrite(store, type.collection, [changeMany(localeGroup.others(document), { set: localeGroup.match(group) })]);
  for (const former of links) await linkAgain({ type, id: document._id }, former, bind.registry, store);
  if (bind.access.rules.has(type.uid)) await refuseBroken({ type, id: document._id, before: null }, context);
}

const taken = (message: string, errors: readonly object[] = []): ApiError =>
  new ApiError(409, 'ConflictError', message, { details: { errors } });

const idTaken = ({ uid }: ContentType, id: number): ApiError =>
  taken(`There is an entry ${String(id)} of ${uid}`, [{ path: ['id'] }]);

/** Returns the error of a refused create as a 409. */
function asConflict(error: ApiError, type: ContentType): ApiError {
  if (hasCode(error, 'locale-taken')) {
    const what = type.localized
      ? 'Another entry has its locale in the group of its localizations'
      : 'The single type has an entry';
    return taken(what, type.localized ? [{ path: ['locale'], message: error.message }] : []);
  }
  const errors = error.details?.['errors'];
  if (!Array.isArray(errors)) return error;
  const paths = errors.map(({ path }: { readonly path: readonly string[] }) => path.join('.'));
  return taken(`Another entry has its value of ${paths.join(', ')}`, errors as readonly object[]);
}
