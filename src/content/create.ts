import { applicationError } from '../errors.js';
import { inTransaction } from '../mongo/transaction.js';
import { readTreeOf } from '../mongo/read-tree.js';
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
import type { Loaded, StoredDocument } from '../mongo/loaded.js';
import { findGroupToJoin, overwritesGroup, requiredShared, withoutShared } from './localization-group.js';
import { createMayBreakRule, refuseBroken, withOwner } from './row-rules.js';
import { copyValues, sharedNames, syncLocales } from './sync-locales.js';
import { orUniqueError } from './unique-errors.js';
import { writeExclusive, writeInverse } from './write-inverse.js';

/**
 * Creates an entry from a client's data and gives it as the query selects it. Throws a ValidationError, an ApplicationError
 * for a locale that is not there, or a ForbiddenError if the entry breaks the caller's rule.
 */
export async function create(type: ContentType, data: unknown, query: Query, context: ContentContext): Promise<Loaded> {
  const selection = bindEntrySelection(query, type, context.bind);
  const accepted = withOwner(type, acceptInput(type, data, context.bind), context.bind.access);
  checkLocale(type, accepted, context);
  const joined = await findGroupToJoin(type, accepted, context);
  if (joined !== null) return joinGroup(type, accepted, joined, { query, selection, context });
  await checkBody(type, accepted, newBody(accepted), context);
  return insertChecked(type, accepted, { selection, source: null }, context);
}

/** How the body of a new entry is checked: only an explicit null makes it a draft. */
export const newBody = (data: Values) => ({ mode: 'create', draft: data['publishedAt'] === null, id: null }) as const;

interface Joining {
  readonly query: Query;
  readonly selection: Selection;
  readonly context: ContentContext;
}

/** Creates an entry in the localization group of another, with the shared values of the group. */
async function joinGroup(
  type: ContentType,
  data: Values,
  joined: StoredDocument,
  { query, selection, context }: Joining,
): Promise<Loaded> {
  const group = Number(joined['_group']);
  if (overwritesGroup(type, query, context.bind)) {
    await checkBody(type, data, newBody(data), context);
    return insertAndShare(type, data, { selection, source: { group, values: {} } }, context);
  }
  const own = withoutShared(type, data);
  await checkBody(type, { ...requiredShared(type, joined), ...own }, newBody(data), context);
  const values = await copyValues(type, joined, sharedNames(type, [...type.attributes.keys()]), context);
  return insertChecked(type, own, { selection, source: { group, values } }, context);
}

/** Stores a new entry and gives its shared values to its group; the answer shows the others as they were before. */
const insertAndShare = (type: ContentType, data: Values, insertion: Insertion, context: ContentContext): Promise<Loaded> =>
  inTransaction(context.store.database, async (database) => {
    const inside = within(context, database);
    const created = await insertChecked(type, data, insertion, inside);
    await syncLocales(type, Number(created.document['_id']), sharedNames(type, [...type.attributes.keys()]), inside);
    return created;
  });

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
): Promise<Loaded> {
  const complete = await fillUids(type, data, context);
  const write = await buildWrite(type, complete, null, context);
  const [id = 0] = await context.store.ids.next(type.collection, 1, { ...context.store.database, session: null });
  const document = buildDocument(type, complete, write, { id, source: insertion.source, context });
  const checked = createMayBreakRule(type, complete, context.bind.access);
  const linked = write.inverse.length > 0 || write.exclusive.length > 0;
  await orUniqueError({ type, data: complete, id: null }, context, () =>
    linked || checked
      ? inTransaction(context.store.database, (database) =>
          insertLinked(type, document, { write, checked }, within(context, database)),
        )
      : insertEntry(context.store, type.collection, document),
  );
  const { selection } = insertion;
  return readTreeOf(selection, document, context.store.database);
}

interface LinkedInsertion {
  readonly write: EntryWrite;
  /** Whether the entry could break a rule. */
  readonly checked: boolean;
}

async function insertLinked(
  type: ContentType,
  document: EntryDocument,
  { write, checked }: LinkedInsertion,
  context: ContentContext,
): Promise<void> {
  for (const links of write.exclusive) await writeExclusive(document._id, type, links, context);
  await insertEntry(context.store, type.collection, document);
  for (const links of write.inverse) await writeInverse({ type, id: document._id }, links, context);
  if (checked) await refuseBroken({ type, id: document._id, before: null }, context);
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
