import { memoizePair } from '#base/caches.js';
import { shapeForCode } from '../code/rows.js';
import type { ContentContext } from '#content/content-context.js';
import type { StoredDocument } from '#store/form/loaded.js';
import { readTreeOf } from '#store/read/read-entry.js';
import type { Database } from '#store/send/database.js';
import { emptyQuery, fieldOf, type PopulateField, type Query } from '#model/query/ast.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import type { Attribute, ContentType, Registry } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';

/** Maximum number of links that other entries store, such as those of the articles of an author. Longer lists are left out. */
const mostForeign = 1_000;

/**
 * Returns a stored entry in the form of project code, with all that it holds and the ids of all that it links to. Passwords are
 * left out, and long lists of links that other entries store. `content` has all rights.
 */
export async function readWhole(
  type: ContentType,
  document: StoredDocument,
  { content, database }: { readonly content: ContentContext; readonly database: Database },
): Promise<Values> {
  const query = wholeQuery(content.bind.registry, type);
  const selection = bindEntrySelection(query, type, content.bind);
  const entry = shapeForCode(await readTreeOf(selection, document, database));
  return Object.fromEntries(Object.entries(entry).filter(([name, value]) => !isLong(type.attributes.get(name), value)));
}

const isForeign = (attribute: Attribute | undefined): boolean =>
  attribute?.kind === 'relation' && attribute.storage.kind !== 'own';

const isLong = (attribute: Attribute | undefined, value: unknown): boolean =>
  isForeign(attribute) && Array.isArray(value) && value.length > mostForeign;

const ids: Query = { ...emptyQuery, fields: ['id'], publicationState: 'preview', locale: 'all' };

const foreignIds: Query = {
  ...ids,
  pagination: { kind: 'offset', start: 0, limit: mostForeign + 1, withCount: false },
};

/** Models cannot nest components without end. */
const wholeQuery = memoizePair((registry: Registry, type: ContentType): Query => {
  const attributes = [...type.attributes.values()];
  const values = attributes.filter((attribute) => attribute.kind === 'scalar' && attribute.type !== 'password');
  const fields = attributes.flatMap((attribute) => populateField(attribute, registry) ?? []);
  return { ...ids, fields: ['id', ...values.map(({ name }) => name)], populate: { all: false, fields } };
});

function populateField(attribute: Attribute, registry: Registry): PopulateField | null {
  const partQuery = (uid: string): Query => {
    const type = registry.types.get(uid);
    return type === undefined ? ids : wholeQuery(registry, type);
  };
  const { name, kind } = attribute;
  if (kind === 'scalar' || attribute.added === 'locale') return null;
  if (kind === 'component') return fieldOf(name, partQuery(attribute.component));
  if (kind !== 'dynamiczone') return fieldOf(name, isForeign(attribute) ? foreignIds : ids);
  return fieldOf(name, ids, { on: new Map(attribute.components.map((uid) => [uid, partQuery(uid)])) });
}
