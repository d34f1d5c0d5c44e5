import { type Access, readable } from '#model/query/access.js';
import { emptyQuery, fieldOf, partsField, type PopulateField, type PublicationState, type Query } from '#model/query/ast.js';
import type { Attribute, ContentType, Registry } from '#model/schema/content-type.js';

/** How the values of an entry are read that are no scalars. */
interface Copying {
  readonly registry: Registry;
  /** Leaves out what the caller may not read; everything is named unless given. */
  readonly access?: Access;
  /** The state of related entries; that of the query unless given. */
  readonly state?: PublicationState;
}

/** Maximum depth of nested components. */
const maxDepth = 10;

/** Returns what a copy of an entry has besides its scalars: its components and zones, and the ids of the relations and files in it. */
export const copiedFields = (type: ContentType, copying: Copying): readonly PopulateField[] => storedFields(type, copying, 0);

const storedFields = (type: ContentType, copying: Copying, depth: number): PopulateField[] =>
  [...type.attributes.values()].flatMap((attribute) =>
    isOwn(attribute) && isRead(type, attribute, copying) ? (fieldFor(attribute, copying, depth) ?? []) : [],
  );

const isRead = (type: ContentType, { name }: Attribute, { access }: Copying): boolean =>
  access === undefined || readable(type, name, access) !== null;

/** Returns whether the entry itself stores the value of an attribute. */
export const isOwn = (attribute: Attribute): boolean =>
  attribute.kind === 'morph' ? attribute.writable : !('storage' in attribute) || attribute.storage.kind === 'own';

/** Returns how the value of an attribute is read; null if it is a scalar. */
export function fieldFor(attribute: Attribute, copying: Copying, depth = 0): PopulateField | null {
  const { name } = attribute;
  switch (attribute.kind) {
    case 'scalar':
      return null;
    case 'relation':
    case 'media':
      return fieldOf(name, idsIn(copying));
    case 'morph':
      return fieldOf(name, idsIn(copying), { on: targetQueries(copying) });
    default:
      return partsField(attribute, (uid) => partQuery(uid, copying, depth + 1));
  }
}

const idQuery: Query = { ...emptyQuery, fields: ['id'] };
const liveIds: Query = { ...idQuery, publicationState: 'live' };

const idsIn = ({ state }: Copying): Query => (state === 'live' ? liveIds : idQuery);

const targetQueries = (copying: Copying): ReadonlyMap<string, Query> =>
  new Map(
    [...copying.registry.types.values()].filter(({ kind }) => kind !== 'component').map(({ uid }) => [uid, idsIn(copying)]),
  );

function partQuery(uid: string, copying: Copying, depth: number): Query {
  const type = copying.registry.types.get(uid);
  if (type === undefined || depth > maxDepth) return emptyQuery;
  return { ...emptyQuery, populate: { all: false, fields: storedFields(type, copying, depth) } };
}
