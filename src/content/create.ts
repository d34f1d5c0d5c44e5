import { applicationError } from '../errors.js';
import { inTransaction } from '../mongo/transaction.js';
import { readAll } from '../mongo/database.js';
import { readRelated } from '../mongo/read-related.js';
import { insertEntry, type EntryDocument } from '../mongo/write-entries.js';
import type { Query } from '../query/ast.js';
import type { Selection } from '../query/plan.js';
import { bindEntrySelection } from '../query/bind-plan.js';
import type { Values } from '../schema/check-input.js';
import type { ContentType } from '../schema/content-type.js';
import { acceptInput } from './accept-input.js';
import { buildWrite, type EntryWrite } from './build-write.js';
import { checkBody } from './check-body.js';
import { within, type ContentContext } from './content-context.js';
import { fillUids } from './fill-uids.js';
import type { LoadedEntry } from './loaded.js';
import { createMayBreakRule, refuseBroken, withOwner } from './row-rules.js';
import { sharedNames, syncLocales } from './sync-locales.js';
import { orUniqueError } from './unique-errors.js';
import { writeExclusive, writeInverse } from './write-inverse.js';

/**
 * Creates an entry from a client's data and gives it as the query selects it. Throws a ValidationError, an ApplicationError
 * for a locale that is not there, or a ForbiddenError if the entry breaks the caller's rule.
 */
export async function create(type: ContentType, data: unknown, query: Query, context: ContentContext): Promise<LoadedEntry> {
  const selection = bindEntrySelection(query, type, context.bind);
  const accepted = withOwner(type, acceptInput(type, data, context.bind), context.bind.access);
  checkLocale(type, accepted, context);
  await checkBody(type, accepted, { mode: 'create', draft: accepted['publishedAt'] === null, id: null }, context);
  return insertChecked(type, accepted, { selection, source: null }, context);
}

function checkLocale(type: ContentType, { locale }: Values, { bind }: ContentContext): void {
  const isKnown = locale === undefined || locale === null || (typeof locale === 'string' && bind.locales.includes(locale));
  if (type.localized && !isKnown) throw applicationError("This locale doesn't exist");
}

/** The entry that a new one is another locale of: its group, and the stored values that it shares. */
export interface LocaleSource {
  readonly group: number;
  readonly values: Values;
}

export interface Insertion {
  /** What of the new entry is read for the answer. */
  readonly selection: Selection;
  readonly source: LocaleSource | null;
}

/** Stores checked data as a new entry, all that belongs to it or nothing, and gives it as it is selected. */
export async function insertChecked(
  type: ContentType,
  data: Values,
  insertion: Insertion,
  context: ContentContext,
): Promise<LoadedEntry> {
  const complete = await fillUids(type, data, context);
  const write = await buildWrite(type, complete, null, context);
  const [id = 0] = await context.store.ids.next(type.collection, 1, { ...context.store.database, session: null });
  const document = buildDocument(type, complete, write, { id, source: insertion.source, context });
  const checked = createMayBreakRule(type, complete, context.bind.access);
  const linked = write.inverse.length > 0 || write.exclusive.length > 0 || write.siblings.length > 0;
  const stored = await orUniqueError(type, complete, () =>
    linked || checked
      ? inTransaction(context.store.database, (database) =>
          insertLinked(type, document, { ...insertion, write, checked }, within(context, database)),
        )
      : insertAlone(type, document, context),
  );
  return stored.loaded ?? load(stored.document, insertion.selection, context);
}

interface Stored {
  readonly document: EntryDocument;
  readonly loaded: LoadedEntry | null;
}

const load = async (document: EntryDocument, selection: Selection, { store }: ContentContext): Promise<LoadedEntry> => ({
  selection,
  document,
  tables: await readRelated(selection, [document], store.database),
});

async function insertAlone(type: ContentType, document: EntryDocument, { store }: ContentContext): Promise<Stored> {
  await insertEntry(store, type.collection, document);
  return { document, loaded: null };
}

interface LinkedInsertion extends Insertion {
  readonly write: EntryWrite;
  /** Whether the entry could break a rule. */
  readonly checked: boolean;
}

async function insertLinked(
  type: ContentType,
  document: EntryDocument,
  { selection, write, checked }: LinkedInsertion,
  context: ContentContext,
): Promise<Stored> {
  const group = write.siblings.length === 0 ? null : await groupOf(type, write.siblings, context);
  const joined = group === null ? document : { ...document, _group: group };
  for (const links of write.exclusive) await writeExclusive(document._id, type, links, context);
  await insertEntry(context.store, type.collection, joined);
  for (const links of write.inverse) await writeInverse({ type, id: document._id }, links, context);
  if (checked) await refuseBroken({ type, id: document._id, before: null }, context);
  if (group === null) return { document: joined, loaded: null };
  // The answer shows the other locales as they were before the shared values went to them, as in the reference.
  const loaded = await load(joined, selection, context);
  await syncLocales(type, document._id, sharedNames(type, [...type.attributes.keys()]), context);
  return { document: joined, loaded };
}

async function groupOf(type: ContentType, ids: readonly number[], { store }: ContentContext): Promise<number | null> {
  const filter = { _id: { $in: ids } };
  const [sibling] = await readAll(store.database, { find: type.collection, filter, projection: { _group: 1 }, limit: 1 });
  const group: unknown = sibling?.['_group'];
  return typeof group === 'number' ? group : null;
}

interface DocumentContext {
  readonly id: number;
  readonly source: LocaleSource | null;
  readonly context: ContentContext;
}

function buildDocument(
  type: ContentType,
  data: Values,
  { values }: EntryWrite,
  { id, source, context }: DocumentContext,
): EntryDocument {
  const now = new Date();
  const state = type.draftAndPublish
    ? { publishedAt: 'publishedAt' in data ? values['publishedAt'] : createdAs(now, context) }
    : {};
  const locale = type.localized ? { locale: values['locale'] ?? context.bind.defaultLocale } : {};
  const group = type.kind === 'singleType' ? { _group: 1 } : type.localized ? { _group: source?.group ?? id } : {};
  return { _id: id, ...values, ...source?.values, createdAt: now, updatedAt: now, ...state, ...locale, ...group };
}

/** REST publishes what says nothing of it, GraphQL makes a draft. */
const createdAs = (now: Date, { createsDrafts }: ContentContext): Date | null => (createsDrafts ? null : now);
