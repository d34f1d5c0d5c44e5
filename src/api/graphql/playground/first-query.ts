import { getNamedType, type GraphQLField, type GraphQLSchema, isLeafType, isObjectType, isRequiredArgument } from 'graphql';
import type { Registry } from '#model/schema/content-type.js';
import { findName } from '../type-names.js';

/** A schema, and the registry that it was built from. */
interface Queried {
  readonly schema: GraphQLSchema;
  readonly registry: Registry;
}

/** Maximum number of attributes in the query. */
const mostAttributes = 3;

/** Returns a query of the first listed content type of the project; null if there is none. */
export function firstQuery({ schema, registry }: Queried): string | null {
  for (const type of registry.types.values()) {
    if (!type.uid.startsWith('api::') || type.kind !== 'collectionType') continue;
    const name = findName(type);
    const attributes = namesOf(schema.getQueryType()?.getFields()[name]);
    if (attributes.length > 0) return writeQuery(name, attributes);
  }
  return null;
}

/** Returns names of attributes of a list's entries whose values are not objects. */
function namesOf(list: GraphQLField<unknown, unknown> | undefined): readonly string[] {
  const attributes = fieldsOf(fieldsOf(fieldsOf(list)['data'])['attributes']);
  const plain = Object.values(attributes).filter(
    ({ type, args }) => isLeafType(getNamedType(type)) && !args.some(isRequiredArgument),
  );
  return plain.slice(0, mostAttributes).map(({ name }) => name);
}

function fieldsOf(field: GraphQLField<unknown, unknown> | undefined): Readonly<Record<string, GraphQLField<unknown, unknown>>> {
  const type = field === undefined ? null : getNamedType(field.type);
  return isObjectType(type) ? type.getFields() : {};
}

const writeQuery = (name: string, attributes: readonly string[]): string => `# Control+Enter sends it, Control+Space completes it.
{
  ${name}(pagination: { limit: 3 }) {
    data {
      id
      attributes {
${attributes.map((attribute) => `        ${attribute}`).join('\n')}
      }
    }
  }
}
`;
