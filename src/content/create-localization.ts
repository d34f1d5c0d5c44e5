import { applicationError, notFoundError } from '../errors.js';
import { groupOf, inGroup } from '../mongo/layout.js';
import { compileCondition } from '../mongo/read/compile-condition.js';
import { readAll } from '../mongo/database.js';
import { resolveRelated } from '../mongo/read/resolve-related.js';
import { inTransaction } from '../mongo/transaction.js';
import { bindRule } from '../query/bind-filter.js';
import { bindEntrySelection } from '../query/bind-plan.js';
import { allOf } from '../query/conditions.js';
import type { ContentType } from '../schema/content-type.js';
import type { Values } from '../values.js';
import { acceptNew, checkBody } from './check-body.js';
import { withDatabase, type ContentContext, type EntryKey, type WriteInput } from './content-context.js';
import { runCreate, createRules } from './create.js';
import { hasId } from './find-one.js';
import type { Loaded, StoredDocument } from '../mongo/loaded.js';
import { requiredShared } from './localization-group.js';
import { copyValues, isShared, refuseHiddenLocales, syncLocales, touchLocales } from './sync-locales.js';
import { orUniqueError, readWritten } from './run-write.js';

/**
 * Creates the entry of another locale: a draft unless the data has `publishedAt`, with the shared scalars of the entry, which the
 * data may override for all locales. Shared components begin empty, as in Strapi v4, until an update of any locale sets them for
 * all. Throws an ApplicationError for a locale that is missing, unknown or taken, a NotFoundError, a ForbiddenError if the data
 * overrides a value in a locale that the caller's rule hides, and the errors of a create.
 */
export async function createLocalization(
  { type, id }: EntryKey,
  { data, query }: WriteInput,
  context: ContentContext,
): Promise<Loaded> {
  const source = await readSource(type, id, context);
  const accepted = acceptNew(type, data, context);
  const locale = await checkNewLocale(type, accepted['locale'], source, context);
  await checkBody(
    type,
    { ...requiredShared(type, source), ...accepted },
    createRules(accepted, context, groupOf(source)),
    context,
  );
  await refuseHiddenLocales({ type, source, values: accepted }, context);
  const selection = bindEntrySelection(query, type, context.bind);
  const values = { ...accepted, locale };
  // A value that all locales share may be taken by another entry in any of them.
  const { document } = await orUniqueError({ type, data: values, id: null, group: groupOf(source) }, context, () =>
    inTransaction(context.store.database, (database) =>
      insertLocale(type, values, id, withDatabase({ ...context, createsDrafts: true }, database)),
    ),
  );
  return readWritten(document, selection, context);
}

async function readSource(type: ContentType, id: number, { bind, store }: ContentContext): Promise<StoredDocument> {
  const condition = allOf([hasId(id), ...bindRule(type, bind)]);
  const filter = compileCondition(condition, await resolveRelated(condition, store.database));
  const [source] = await readAll(store.database, { find: type.collection, filter, limit: 1 });
  if (source === undefined) throw notFoundError('Entity not found');
  return source;
}

async function checkNewLocale(
  type: ContentType,
  locale: unknown,
  source: StoredDocument,
  { bind, store }: ContentContext,
): Promise<string> {
  if (locale === undefined || locale === null) throw applicationError('locale is missing');
  if (typeof locale !== 'string' || !bind.locales.includes(locale)) throw applicationError('locale is invalid');
  const filter = { ...inGroup(groupOf(source)), locale };
  const [taken] = await readAll(store.database, { find: type.collection, filter, projection: { _id: 1 }, limit: 1 });
  if (taken !== undefined) throw applicationError('locale is already used');
  return locale;
}

/**
 * Reads the entry again inside the transaction, because its shared values may have changed. The write marks the entry as changed,
 * so that a concurrent change conflicts with it and the transaction runs again.
 */
async function insertLocale(type: ContentType, data: Values, id: number, context: ContentContext): Promise<Loaded> {
  const source = await readSource(type, id, context);
  const shared = [...type.attributes.values()].filter(isShared).map(({ name }) => name);
  const copied = shared.filter((name) => type.attributes.get(name)?.kind === 'scalar' && !Object.hasOwn(data, name));
  const values = await copyValues(type, source, copied, context);
  const nothing = { type, fields: [], children: [], locales: null };
  const created = await runCreate(type, data, { selection: nothing, source: { group: groupOf(source), values } }, context);
  const given = shared.filter((name) => Object.hasOwn(data, name));
  if (given.length === 0) await touchLocales(type, created.document, context);
  else await syncLocales(type, Number(created.document['_id']), given, context);
  return created;
}
