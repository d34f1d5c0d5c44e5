import {
  GraphQLBoolean,
  GraphQLDeprecatedDirective,
  GraphQLIncludeDirective,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLSkipDirective,
  GraphQLSpecifiedByDirective,
} from 'graphql';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { guardFields } from '../types/guard-fields.js';
import {
  type AccountOptions,
  accountMutations,
  accountQueries,
  roleMutations,
  userMutations,
} from '../plugins/accounts-fields.js';
import { uploadMutations } from '../plugins/upload-fields.js';
import { AssembledSchema, RootType, type SchemaRoots } from '../types/assembled-schema.js';
import { allTypes, commonTypes } from '../types/all-types.js';
import { rootFields, type RootFields } from '../types/root-fields.js';
import { objectTypes } from '../types/object-types.js';
import { liveDirective } from '../types/change-types.js';
import { type FieldMap, type Fields, shownTypes, type SchemaContext } from '../types/schema-context.js';
import { defaultShadow, type Shadow } from '../types/shadow.js';
import { changedUids, createTypeStore, pauseAfter, type TypeStore } from '../types/type-store.js';
import { addedMembers, followTypes } from '../types/union-types.js';

/** Options of a generated schema. Absent ones are disabled or have their default. */
export interface SchemaOptions {
  /** Whether anything is generated from content types; true by default. */
  readonly shadowCrud?: boolean;
  readonly shadow?: Shadow;
  /** Whether required attributes are nullable in answers. */
  readonly nullableOutput?: boolean;
  /** Whether there are lists by cursors. */
  readonly connections?: boolean;
  /** Whether filters have quantifiers. */
  readonly quantifiers?: boolean;
  /** Whether there are subscriptions to the changes of types with sync, and live queries if there is such a type. */
  readonly subscriptions?: boolean;
  /**
   * Extends the generated schema, which contains all generated types, even unused ones. Must add the checks of scopes to root
   * fields, because it may change these fields.
   */
  readonly extend?: (schema: GraphQLSchema) => GraphQLSchema;
  /** Adds queries and mutations of accounts. */
  readonly accounts?: AccountOptions;
  /** Whether there are mutations of files. */
  readonly upload?: boolean;
  /** The previous schema with the same options. Its unchanged types are reused, unless it is extended. */
  readonly previous?: GraphQLSchema | undefined;
}

/** Milliseconds of work before other requests get a turn. */
const slice = 20;

/**
 * Generates the schema of a registry, in slices. Creates only types that a field refers to. The schema is not validated, because
 * the names were checked with the models, and tests validate generated schemas.
 */
export async function buildSchema(registry: Registry, options: SchemaOptions = {}): Promise<GraphQLSchema> {
  const pause = pauseAfter(slice);
  const { shadow = defaultShadow, shadowCrud = true, extend, previous } = options;
  const cachedParts = keptParts(previous === undefined ? undefined : generated.get(previous), registry);
  const store = createTypeStore(cachedParts.types);
  const complete = (fields: Fields): FieldMap =>
    new GraphQLObjectType({ name: 'Root', fields: extend === undefined ? guardFields(fields) : fields }).getFields();
  const { nullableOutput = false, connections = false, quantifiers = false, subscriptions = false } = options;
  const shape = { nullableOutput, connections, quantifiers, subscriptions };
  const context: SchemaContext = { objects: objectTypes, registry, shadow, store, complete, ...shape };
  followTypes(context);
  const shown = shadowCrud ? shownTypes(context) : [];
  const roots = new Map(cachedParts.roots);
  for (const type of shown) if (type.kind !== 'component' && !roots.has(type.uid)) roots.set(type.uid, rootFields(type, context));
  const ofTypes = shown.flatMap(({ uid }) => roots.get(uid) ?? []);
  const query = new RootType('Query', queries(ofTypes, options, context));
  await pause();
  const mutation = new RootType('Mutation', shadowCrud ? mutations(ofTypes, options, context) : []);
  await pause();
  const live = subscriptionParts(ofTypes);
  if (extend !== undefined) {
    // an extension may refer to all types
    const types = [...shown.flatMap((type) => allTypes(type, context)), ...commonTypes];
    await store.complete(pause);
    return extend(new GraphQLSchema({ query, mutation, types, ...live, assumeValid: true }));
  }
  const extended = cachedParts.schema && {
    schema: cachedParts.schema,
    fields: [...roots].filter(([uid]) => !cachedParts.roots.has(uid)).flatMap(([, fields]) => Object.values(fields)),
    members: addedMembers(cachedParts.schema, cachedParts.added, context),
  };
  await store.complete(pause);
  const schema = new AssembledSchema({ query, mutation: mutation.isEmpty ? null : mutation, ...live }, extended);
  generated.set(schema, { schema, registry, types: store.types, roots });
  return schema;
}

/** Returns the subscriptions of a schema, and its directives. Live queries come with the first subscription. */
function subscriptionParts(roots: readonly RootFields[]): Pick<SchemaRoots, 'subscription' | 'directives'> {
  const fields = roots.map(({ subscriptions }) => subscriptions);
  const subscription = new RootType('Subscription', fields);
  return subscription.isEmpty ? { subscription: null, directives } : { subscription, directives: [...directives, liveDirective] };
}

interface Generated extends SchemaParts {
  readonly schema: AssembledSchema;
  readonly registry: Registry;
}

const generated = new WeakMap<GraphQLSchema, Generated>();

interface SchemaParts {
  readonly types: TypeStore['types'];
  /** Root fields by the uid of the content type. */
  readonly roots: ReadonlyMap<string, RootFields>;
}

/** The parts that the next schema reuses. `schema` is the previous one, if only types are added to it: those in `added`. */
interface KeptParts extends SchemaParts {
  readonly schema?: AssembledSchema;
  readonly added: readonly ContentType[];
}

function keptParts(before: Generated | undefined, registry: Registry): KeptParts {
  if (before === undefined) return { types: new Map(), roots: new Map(), added: [] };
  const changed = changedUids(before.registry, registry);
  const isAddition = [...changed].every((uid) => !before.registry.types.has(uid));
  if (isAddition) return { ...before, added: [...changed].flatMap((uid) => registry.types.get(uid) ?? []) };
  return { types: withoutKeys(before.types, changed), roots: withoutKeys(before.roots, changed), added: [] };
}

function withoutKeys<Value>(map: ReadonlyMap<string, Value>, keys: ReadonlySet<string>): ReadonlyMap<string, Value> {
  const rest = new Map(map);
  for (const key of keys) rest.delete(key);
  return rest;
}

/** The directives of Strapi v4. By default graphql-js would add newer ones. */
const directives = [GraphQLIncludeDirective, GraphQLSkipDirective, GraphQLDeprecatedDirective, GraphQLSpecifiedByDirective];

function queries(
  roots: readonly RootFields[],
  { shadowCrud = true, accounts }: SchemaOptions,
  { complete }: SchemaContext,
): readonly FieldMap[] {
  const ofPlugins = shadowCrud && accounts !== undefined ? [complete(accountQueries)] : [];
  const parts = [...roots.map((fields) => fields.queries), ...ofPlugins];
  if (parts.some((fields) => Object.keys(fields).length > 0)) return parts;
  return [complete({ ok: { type: new GraphQLNonNull(GraphQLBoolean), resolve: () => true } })];
}

function mutations(
  roots: readonly RootFields[],
  { accounts, upload = false }: SchemaOptions,
  context: SchemaContext,
): readonly FieldMap[] {
  const ofPlugins = [
    ...(upload ? [uploadMutations(context)] : []),
    ...(accounts === undefined ? [] : [roleMutations(context), userMutations(context), accountMutations(accounts)]),
  ];
  return [
    ...roots.map((fields) => fields.mutations),
    ...ofPlugins.map(context.complete),
    ...roots.map(({ localizations }) => localizations),
  ];
}
