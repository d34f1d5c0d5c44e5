import { memoizePair } from '../caches.js';
import { shapeForCode } from '../code/rows.js';
import type { ContentContext } from '../content/content-context.js';
import type { StoredDocument } from '../mongo/form/loaded.js';
import { readTreeOf } from '../mongo/read/read-tree.js';
import type { Database } from '../mongo/send/database.js';
import { emptyQuery, type PopulateField, type Query } from '../query/ast.js';
import { bindEntrySelection } from '../query/bind-plan.js';
import type { Attribute, ContentType, Registry } from '../schema/content-type.js';
import type { Values } from '../values.js';

/**
 * Returns a stored entry in the form of project code, with all that it holds and the ids of all that it links to. Passwords are
 * left out. `content` has all rights.
 */
export async function readWhole(
  type: ContentType,
  document: StoredDocument,
  { content, database }: { readonly content: ContentContext; readonly database: Database },
): Promise<Values> {
  const query = wholeQuery(content.bind.registry, type);
  return shapeForCode(await readTreeOf(bindEntrySelection(query, type, content.bind), document, database));
}

const ids: Query = { ...emptyQuery, fields: ['id'], publicationState: 'preview', locale: 'all' };

/** Models cannot nest components without end. */
const wholeQuery = memoizePair((registry: Registry, type: ContentType): Query => {
  const attributes = [...type.attributes.values()];
  const values = attributes.filter((attribute) => attribute.kind === 'scalar' && attribute.type !== 'password');
  const fields = attributes.flatMap((attribute) => populateField(attribute, registry) ?? []);
  return { ...ids, fields: ['id', ...values.map(({ name }) => name)], populate: { all: false, fields } };
});

const field = (name: string, query: Query, on: PopulateField['on'] = null): PopulateField => ({
  ...{ name, key: name, query, on },
  ...{ countOnly: false, reversed: false },
});

function populateField(attribute: Attribute, registry: Registry): PopulateField | null {
  const partQuery = (uid: string): Query => {
    const type = registry.types.get(uid);
    return type === undefined ? ids : wholeQuery(registry, type);
  };
  const { name, kind } = attribute;
  if (kind === 'scalar' || name === 'localizations') return null;
  if (kind === 'component') return field(name, partQuery(attribute.component));
  if (kind !== 'dynamiczone') return field(name, ids);
  return field(name, ids, new Map(attribute.components.map((uid) => [uid, partQuery(uid)])));
}
