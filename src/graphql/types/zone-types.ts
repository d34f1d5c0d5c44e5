import { GraphQLScalarType, GraphQLUnionType, valueFromASTUntyped, type GraphQLScalarLiteralParser } from 'graphql';
import type { ContentType, ZoneAttribute } from '../../schema/content-type.js';
import { isRecord } from '../../values.js';
import { typeName, zoneName } from '../type-names.js';
import { type SchemaContext, shownType } from './schema-context.js';
import { errorType } from './shared-types.js';

/** The union of what a dynamic zone may hold. */
export const zoneUnion = (type: ContentType, zone: ZoneAttribute, context: SchemaContext): GraphQLUnionType =>
  context.store.define(type, zoneName(type, zone), (name) => {
    const components = zoneComponents(zone, context);
    return new GraphQLUnionType({
      name,
      types: () => [...components.map((component) => context.objects.component(component, context)), errorType],
      resolveType: resolveZone(components),
    });
  });

function resolveZone(components: readonly ContentType[]): (item: unknown) => string {
  const names = new Map(components.map((component) => [component.uid, typeName(component)]));
  return (item) => names.get(isRecord(item) ? String(item['__component']) : '') ?? errorType.name;
}

/** A scalar: an object with the name of its component's type as `__typename`, everything else unchecked. */
export const zoneInput = (type: ContentType, zone: ZoneAttribute, context: SchemaContext): GraphQLScalarType =>
  context.store.define(type, `${zoneName(type, zone)}Input`, (name) => {
    const parse = zoneParser(zoneComponents(zone, context), componentUids(context));
    return new GraphQLScalarType({ name, parseValue: parse, parseLiteral: literalParser(parse) });
  });

type Parse = (value: unknown) => unknown;

function zoneParser(components: readonly ContentType[], uids: ReadonlyMap<string, string>): Parse {
  const expected = components.map(typeName).join(', ');
  return (value) => parseItem(value, expected, uids);
}

const literalParser =
  (parse: Parse): GraphQLScalarLiteralParser<unknown> =>
  (node, variables) =>
    parse(valueFromASTUntyped(node, variables));

const zoneComponents = (zone: ZoneAttribute, context: SchemaContext): ContentType[] =>
  zone.components.map((uid) => shownType(context, uid)).filter((component) => component !== null);

/** Any component of the service passes here; whether the zone takes it is checked with the rest of the entry. */
function parseItem(value: unknown, expected: string, uids: ReadonlyMap<string, string>): unknown {
  const uid = isRecord(value) ? uids.get(String(value['__typename'])) : undefined;
  if (!isRecord(value) || uid === undefined) throw new TypeError(`Component not found. expected one of: ${expected}`);
  const fields = Object.entries(value).filter(([name]) => name !== '__typename');
  return { __component: uid, ...Object.fromEntries(fields) };
}

/** uids of all components by the names of their types. */
const componentUids = ({ registry }: SchemaContext): ReadonlyMap<string, string> =>
  new Map([...registry.types.values()].filter(({ kind }) => kind === 'component').map((type) => [typeName(type), type.uid]));
