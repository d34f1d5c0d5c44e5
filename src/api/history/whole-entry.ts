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
 * left out, and long lists of links that other entries store. `content` has all rights. `links` replaces values that the entry holds.
 */
export async function readWholeEntry(
  type: ContentType,
  document: StoredDocument,
  { content, database, links = {} }: { readonly content: ContentContext; readonly database: Database; readonly links?: Values },
): Promise<Values> {
  const query = wholeQuery.all(content.bind.registry, type);
  const selection = bindEntrySelection(query, type, content.bind);
  const entry = { ...shapeForCode(await readTreeOf(selection, document, database)), ...links };
  return Object.fromEntries(Object.entries(entry).filter(([name, value]) => !isLong(type.attributes.get(name), value)));
}

/** Does the same without what it links to, so that it sends no command. */
export async function readValues(type: ContentType, document: StoredDocument, content: ContentContext): Promise<Values> {
  const selection = bindEntrySelection(wholeQuery.values(content.bind.registry, type), type, content.bind);
  return shapeForCode(await readTreeOf(selection, document, content.store.database));
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

/** Which attributes a query reads: all, or values and components alone. */
type Kind = 'all' | 'values';

/** Models cannot nest components without end. */
const queryOf = (kind: Kind) =>
  memoizePair((registry: Registry, type: ContentType): Query => {
    const attributes = [...type.attributes.values()];
    const values = attributes.filter((attribute) => attribute.kind === 'scalar' && attribute.type !== 'password');
    const fields = attributes.flatMap((attribute) => populateField(attribute, registry, kind) ?? []);
    return { ...ids, fields: ['id', ...values.map(({ name }) => name)], populate: { all: false, fields } };
  });

const wholeQuery = { all: queryOf('all'), values: queryOf('values') };

function populateField(attribute: Attribute, registry: Registry, kind: Kind): PopulateField | null {
  const partQuery = (uid: string): Query => {
    const type = registry.types.get(uid);
    return type === undefined ? ids : wholeQuery[kind](registry, type);
  };
  const { name } = attribute;
  if (attribute.kind === 'scalar' || attribute.added === 'locale') return null;
  if (attribute.kind === 'component') return fieldOf(name, partQuery(attribute.component));
  if (attribute.kind === 'dynamiczone')
    return fieldOf(name, ids, { on: new Map(attribute.components.map((uid) => [uid, partQuery(uid)])) });
  return kind === 'all' ? fieldOf(name, isForeign(attribute) ? foreignIds : ids) : null;
}
