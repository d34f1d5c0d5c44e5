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
import type { Registry } from '../../schema/content-type.js';
import { guardFields } from '../types/guard-fields.js';
import { accountMutations, accountQueries, roleMutations, userMutations } from '../plugins/accounts-fields.js';
import type { AccountsService } from '../plugins/accounts-service.js';
import { uploadMutations } from '../plugins/upload-fields.js';
import type { UploadService } from '../plugins/create-uploads.js';
import { allTypes, commonTypes } from '../types/all-types.js';
import { localizationFields, mutationFields, queryFields } from '../types/root-fields.js';
import { objectTypes } from '../types/object-types.js';
import { emptyFields, shownTypes, type Fields, type SchemaContext } from '../types/schema-context.js';
import { defaultShadow, type Shadow } from '../types/shadow.js';
import { keptTypes, type Generated, createTypeStore, pauseAfter, type Pause } from '../types/type-store.js';
import { followTypes } from '../types/union-types.js';

/** Options of a generated schema. Absent ones are switched off or have their default. */
export interface SchemaOptions {
  /** `shadowCRUD: false` generates nothing from the content types. */
  readonly shadowCrud?: boolean;
  readonly shadow?: Shadow;
  /** Required attributes may be null in answers. */
  readonly nullableOutput?: boolean;
  /**
   * Adds to the generated schema, of which it is given all types, used or not. It puts the checks of scopes before the root fields
   * itself, since it may change them.
   */
  readonly extend?: (schema: GraphQLSchema) => GraphQLSchema;
  readonly accounts?: AccountsService;
  readonly upload?: UploadService;
  /** The former schema of the same options. Its unchanged types are reused. Extended schemas are not reused. */
  readonly previous?: GraphQLSchema | undefined;
}

/** Milliseconds of work after which requests get their turn. */
const slice = 20;

/**
 * Generates the schema of one registry snapshot, in slices. Only types that some field refers to are made. It is not validated:
 * its names were checked with the models, and tests validate generated schemas.
 */
export async function buildSchema(registry: Registry, options: SchemaOptions = {}): Promise<GraphQLSchema> {
  const pause = pauseAfter(slice);
  const before = options.previous === undefined ? undefined : generated.get(options.previous);
  const store = createTypeStore(before === undefined ? undefined : keptTypes(before, registry));
  const { shadow = defaultShadow, nullableOutput = false, extend } = options;
  const context: SchemaContext = { objects: objectTypes, registry, shadow, store, nullableOutput };
  followTypes(context);
  const guard = extend === undefined ? guardFields : (fields: Fields) => fields;
  const rootType = (name: string, fields: () => Fields) =>
    store.define('schema', name, () => new GraphQLObjectType({ name, fields: () => guard(fields()) }));
  const query = rootType('Query', () => queries(context, options));
  const mutation = rootType('Mutation', () => mutations(context, options));
  if (extend !== undefined) return extend(await completeSchema({ query, mutation, context, options }, pause));
  await store.complete(pause);
  const writable = Object.keys(mutation.getFields()).length > 0;
  const schema = new GraphQLSchema({ query, mutation: writable ? mutation : null, directives, assumeValid: true });
  generated.set(schema, { registry, types: store.types });
  return schema;
}

/** The inputs that schemas were generated from. */
const generated = new WeakMap<GraphQLSchema, Generated>();

interface Parts {
  readonly query: GraphQLObjectType;
  readonly mutation: GraphQLObjectType;
  readonly context: SchemaContext;
  readonly options: SchemaOptions;
}

/** The schema with all types that an extension may refer to. */
async function completeSchema({ query, mutation, context, options }: Parts, pause: Pause): Promise<GraphQLSchema> {
  const shown = options.shadowCrud === false ? [] : shownTypes(context);
  const types = shown.flatMap((type) => allTypes(type, context));
  await context.store.complete(pause);
  return new GraphQLSchema({ query, mutation, types: [...types, ...commonTypes], directives, assumeValid: true });
}

/** Those of Strapi v4; graphql-js would add its own newer ones. */
const directives = [GraphQLIncludeDirective, GraphQLSkipDirective, GraphQLDeprecatedDirective, GraphQLSpecifiedByDirective];

const contentTypes = (context: SchemaContext) => shownTypes(context).filter(({ kind }) => kind !== 'component');

const merge = (fields: readonly Fields[]): Fields => Object.assign(emptyFields(), ...fields) as Fields;

function queries(context: SchemaContext, { shadowCrud = true, accounts }: SchemaOptions): Fields {
  const ok: Fields = { ok: { type: new GraphQLNonNull(GraphQLBoolean), resolve: () => true } };
  if (!shadowCrud) return ok;
  const ofTypes = contentTypes(context).map((type) => queryFields(type, context));
  const fields = merge([...ofTypes, accounts === undefined ? {} : accountQueries(accounts)]);
  return Object.keys(fields).length > 0 ? fields : ok;
}

function mutations(context: SchemaContext, { shadowCrud = true, accounts, upload }: SchemaOptions): Fields {
  if (!shadowCrud) return {};
  const types = contentTypes(context);
  return merge([
    ...types.map((type) => mutationFields(type, context)),
    upload === undefined ? {} : uploadMutations(upload, context),
    ...(accounts === undefined
      ? []
      : [roleMutations(accounts, context), userMutations(accounts, context), accountMutations(accounts)]),
    ...types.map((type) => localizationFields(type, context)),
  ]);
}
