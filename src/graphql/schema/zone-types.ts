import { GraphQLScalarType, GraphQLUnionType, valueFromASTUntyped } from 'graphql';
import { isRecord } from '../../query/is-record.js';
import type { ContentType, ZoneAttribute } from '../../schema/content-type.js';
import { typeName, zoneName } from './names.js';
import type { SchemaContext } from './schema-context.js';
import { shownType } from './schema-context.js';
import { errorType } from './shared-types.js';

/** The union of what a dynamic zone may hold. */
export const zoneUnion = (type: ContentType, zone: ZoneAttribute, context: SchemaContext): GraphQLUnionType =>
  context.store.define(zoneName(type, zone), (name) => {
    const components = zoneComponents(zone, context);
    const names = new Map(components.map((component) => [component.uid, typeName(component)]));
    return new GraphQLUnionType({
      name,
      types: () => [...components.map((component) => context.objects.component(component, context)), errorType],
      resolveType: (item: unknown) => names.get(componentOf(item)) ?? errorType.name,
    });
  });

const componentOf = (item: unknown): string => (isRecord(item) ? String(item['__component']) : '');

/** A scalar: an object with the name of its component's type as `__typename`, everything else unchecked (graphql.md 3.9). */
export const zoneInput = (type: ContentType, zone: ZoneAttribute, context: SchemaContext): GraphQLScalarType =>
  context.store.define(`${zoneName(type, zone)}Input`, (name) => {
    const expected = zoneComponents(zone, context).map(typeName).join(', ');
    const parse = (value: unknown) => parseItem(value, expected, context);
    return new GraphQLScalarType({
      name,
      parseValue: parse,
      parseLiteral: (node, variables) => parse(valueFromASTUntyped(node, variables)),
    });
  });

const zoneComponents = (zone: ZoneAttribute, context: SchemaContext): ContentType[] =>
  zone.components.map((uid) => shownType(context, uid)).filter((component) => component !== null);

/** Any component of the service passes here; whether the zone takes it is checked with the rest of the entry. */
function parseItem(value: unknown, expected: string, context: SchemaContext): unknown {
  const uid = isRecord(value) ? componentUid(String(value['__typename']), context) : undefined;
  if (!isRecord(value) || uid === undefined) throw new TypeError(`Component not found. expected one of: ${expected}`);
  const fields = Object.entries(value).filter(([name]) => name !== '__typename');
  return { __component: uid, ...Object.fromEntries(fields) };
}

function componentUid(name: string, { registry }: SchemaContext): string | undefined {
  for (const type of registry.types.values()) if (type.kind === 'component' && typeName(type) === name) return type.uid;
  return undefined;
}
