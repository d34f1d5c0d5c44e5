import { GraphQLUnionType } from 'graphql';
import type { GraphQLObjectType } from 'graphql';
import type { ContentType, MorphAttribute } from '../../schema/content-type.js';
import { isRecord } from '../../values.js';
import { morphName, typeName } from '../type-names.js';
import { type SchemaContext, shownType, shownTypes } from './schema-context.js';

/**
 * What a polymorphic relation may lead to, the attributes directly: the types that it names, else every
 * component and every content type.
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

/** Leads the union of all types, which is one for all schemas, to the types of the schema that is being made. */
export function followTypes(context: SchemaContext): void {
  const members = shownTypes(context);
  const objects = { current: null as readonly GraphQLObjectType[] | null };
  genericMorph(context).follow(() => (objects.current ??= objectsOf(members, context)), resolveAmong(members));
}

/**
 * The union of all types. Files lead to it, and most types to files: were it new in every schema, so would be all that leads to
 * it. A schema that is being replaced finds a new type among its members, whose name no query can say there.
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
  const names = new Map(members.map((type) => [type.uid, typeName(type)]));
  return (item) => (isRecord(item) ? names.get(String(item['__type'] ?? item['__component'])) : undefined);
}

const objectsOf = (members: readonly ContentType[], context: SchemaContext): GraphQLObjectType[] =>
  members
    .map((type) => context.objects[type.kind === 'component' ? 'component' : 'attributes'](type, context))
    .filter((type) => Object.keys(type.getFields()).length > 0);
