import { GraphQLUnionType, type GraphQLObjectType, GraphQLScalarType, type GraphQLSchema, valueFromASTUntyped } from 'graphql';
import type { ContentType, MorphAttribute, ZoneAttribute } from '#model/schema/content-type.js';
import { isRecord, type Values } from '#base/values.js';
import { morphName, typeName, zoneName } from '../type-names.js';
import { type SchemaContext, shownType, shownTypes } from './schema-context.js';
import { errorType } from './shared-types.js';

/**
 * Returns the union of a polymorphic relation: of its listed targets, or of all components and content types if it lists none.
 */
export function morphUnion(type: ContentType, attribute: MorphAttribute, context: SchemaContext): GraphQLUnionType {
  const { targets } = attribute;
  if (targets === null) return genericMorph(context);
  return context.store.define(type, morphName(type, attribute), (name) => {
    const members = targets.map((uid) => shownType(context, uid)).filter((target) => target !== null);
    return new GraphQLUnionType({ name, types: () => objectsOf(members, context), resolveType: resolveAmong(members) });
  });
}

const genericMorph = ({ store }: SchemaContext): GenericMorph =>
  store.define('service', GenericMorph.typeName, () => new GenericMorph());

/** Sets the members of the union of all types, which all schemas share, to the types of the schema that is being built. */
export function followTypes(context: SchemaContext): void {
  const members = shownTypes(context);
  const objects = { current: null as readonly GraphQLObjectType[] | null };
  genericMorph(context).follow(() => (objects.current ??= objectsOf(members, context)), resolveAmong(members));
}

/**
 * Returns the new members of the union of all types when content types are added; none if the schema does not contain the union.
 */
export const addedMembers = (
  schema: GraphQLSchema,
  added: readonly ContentType[],
  context: SchemaContext,
): GraphQLObjectType[] =>
  schema.getType(GenericMorph.typeName) === undefined
    ? []
    : objectsOf(
        added.filter(({ uid }) => shownType(context, uid) !== null),
        context,
      );

/**
 * The union of all types, shared by all schemas. Files refer to it, and most types refer to files, so a new union for each schema
 * would require new types too. The schema that is being replaced also gets the new members, but its queries cannot name them.
 */
class GenericMorph extends GraphQLUnionType {
  static readonly typeName = 'GenericMorph';
  #members: () => readonly GraphQLObjectType[] = () => [];

  constructor() {
    super({ name: GenericMorph.typeName, types: [] });
  }

  follow(members: () => readonly GraphQLObjectType[], resolve: ResolveName): void {
    this.#members = members;
    this.resolveType = resolve;
  }

  override getTypes(): readonly GraphQLObjectType[] {
    return this.#members();
  }
}

type ResolveName = (item: unknown) => string | undefined;

function resolveAmong(members: readonly ContentType[]): ResolveName {
  const names = { current: null as ReadonlyMap<string, string> | null };
  const namesOf = () => (names.current ??= new Map(members.map((type) => [type.uid, typeName(type)])));
  return (item) => (isRecord(item) ? namesOf().get(String(item['__type'] ?? item['__component'])) : undefined);
}

const objectsOf = (members: readonly ContentType[], context: SchemaContext): GraphQLObjectType[] =>
  members
    .map((type) => context.objects[type.kind === 'component' ? 'component' : 'attributes'](type, context))
    .filter((type) => Object.keys(type.getFields()).length > 0);

/** Returns the union of the components of a dynamic zone. */
export const zoneUnion = (type: ContentType, zone: ZoneAttribute, context: SchemaContext): GraphQLUnionType =>
  context.store.define(type, zoneName(type, zone), (name) => {
    const components = zoneComponents(zone, context);
    const resolve = resolveAmong(components);
    return new GraphQLUnionType({
      name,
      types: () => [...components.map((component) => context.objects.component(component, context)), errorType],
      resolveType: (item) => resolve(item) ?? errorType.name,
    });
  });

/**
 * Returns the scalar of dynamic zone items: objects that name a component by `__typename` or `__component`. Other keys are not
 * checked here.
 */
export const zoneInput = (type: ContentType, zone: ZoneAttribute, context: SchemaContext): GraphQLScalarType =>
  context.store.define(type, `${zoneName(type, zone)}Input`, (name) => {
    const expected = zoneComponents(zone, context).map(typeName).join(', ');
    const uids = componentUids(context);
    const parseValue = (value: unknown): unknown => parseItem(value, expected, uids);
    return new GraphQLScalarType({
      name,
      parseValue,
      parseLiteral: (node, variables) => parseValue(valueFromASTUntyped(node, variables)),
    });
  });

const zoneComponents = (zone: ZoneAttribute, context: SchemaContext): ContentType[] =>
  zone.components.map((uid) => shownType(context, uid)).filter((component) => component !== null);

/** Parses an item. It may be any component; whether the zone allows it is checked with the entry. */
function parseItem(value: unknown, expected: string, uids: ReadonlyMap<string, string>): unknown {
  const uid = isRecord(value) ? uidOf(value, uids) : undefined;
  if (!isRecord(value) || uid === undefined) throw new TypeError(`Component not found. expected one of: ${expected}`);
  const fields = Object.entries(value).filter(([name]) => name !== '__typename' && name !== '__component');
  return { __component: uid, ...Object.fromEntries(fields) };
}

/** Returns the component that an item names by `__typename`, or by `__component` as over REST; undefined if it names none or two. */
function uidOf({ __typename: name, __component: given }: Values, uids: ReadonlyMap<string, string>): string | undefined {
  const named = name === undefined ? undefined : uids.get(String(name));
  if (given === undefined || name !== undefined) return given === undefined || given === named ? named : undefined;
  return [...uids.values()].find((uid) => uid === given);
}

/** Returns the uids of all components by their type names. */
const componentUids = ({ registry }: SchemaContext): ReadonlyMap<string, string> =>
  new Map(
    [...registry.types.values()]
      .filter(({ kind, inGraphql }) => kind === 'component' && inGraphql)
      .map((type) => [typeName(type), type.uid]),
  );
