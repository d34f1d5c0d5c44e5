import {
  type DocumentNode,
  getEnterLeaveForKind,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  KnownTypeNamesRule,
  parse,
  type Source,
  specifiedRules,
  validate,
  type ValidationRule,
  type OperationDefinitionNode,
} from 'graphql';
import { BoundedCache, memoize } from '#base/caches.js';
import { aliasLimit, rootFieldLimit, depthLimit } from './operation-limits.js';
import { documentLevels } from './document-levels.js';
import { type DocumentParts, hasParts, type NamedOperation, partsOf } from './document-parts.js';
import { exceeding } from '#base/limits/exceeded.js';
import { coded } from './format-error.js';
import type { GraphqlSettings } from './graphql-settings.js';

/** Parses and validates documents. Valid ones are cached, because both steps take several times as long as execution. */
export interface Documents {
  /** Returns the document of a query text. Throws a GraphQLError if it cannot be parsed. */
  readonly parse: (source: string | Source) => DocumentNode;
  /** Returns the operation to run; null if there is none, or the document cannot be parsed. */
  readonly find: (query: string, operationName: string | null) => NamedOperation | null;
  /** Returns the errors of a document by the rules of the settings; an empty list if it is valid. */
  readonly validate: (schema: GraphQLSchema, document: DocumentNode) => readonly GraphQLError[];
}

/** Bounds of the cache. A parsed document takes about 150 bytes per character of its text. */
const bounds = { entries: 2_000, bytes: 64_000_000 };
const bytesPerCharacter = 150;

export function createDocuments(settings: GraphqlSettings): Documents {
  const rules = rulesOf(settings);
  const documents = new BoundedCache<DocumentNode>(bounds);
  const parseOnce: Documents['parse'] = (source) => {
    const text = typeof source === 'string' ? source : source.body;
    return documents.get(text) ?? parseText(text, settings.limits.tokens);
  };
  return {
    parse: parseOnce,
    find: (query, operationName) => {
      try {
        const document = parseOnce(query);
        const operation = chooseOperation(document, operationName);
        return operation instanceof GraphQLError ? null : { document, operation };
      } catch {
        return null;
      }
    },
    validate: (schema, document) => {
      if (isKnown(document, schema, settings)) return [];
      const errors = validate(schema, document, rules);
      if (errors.length > 0) return errors.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED'));
      validIn(schema).add(document);
      // Only valid documents are cached, so that invalid ones do not evict them.
      const text = document.loc?.source.body;
      if (text !== undefined) documents.set(text, document, bytesPerCharacter * text.length);
      return [];
    },
  };
}

/** The documents that are known to be valid in a schema. */
const validIn = memoize<GraphQLSchema, WeakSet<DocumentNode>>(() => new WeakSet());

/** The parts of documents that were used repeatedly. */
const knownParts = new WeakMap<DocumentNode, DocumentParts>();

/**
 * Returns whether a document is known to be valid in a schema. One that was used repeatedly is valid in the next schema too, if that
 * has all its parts. This does not apply if a project has rules of its own.
 */
function isKnown(document: DocumentNode, schema: GraphQLSchema, { validationRules }: GraphqlSettings): boolean {
  const parts = knownParts.get(document);
  if (validIn(schema).has(document)) {
    if (parts === undefined && validationRules.length === 0) knownParts.set(document, partsOf(document, schema));
    return true;
  }
  if (parts === undefined) return false;
  const isValid = hasParts(schema, parts);
  if (isValid) validIn(schema).add(document);
  else knownParts.delete(document);
  return isValid;
}

const rulesOf = ({ limits, introspection, validationRules }: GraphqlSettings): readonly ValidationRule[] => [
  ...specifiedRules.map((rule) => (rule === KnownTypeNamesRule ? knownTypeNames : rule)),
  ...(introspection ? [] : [noIntrospection]),
  depthLimit(limits.depth),
  aliasLimit(limits.aliases),
  rootFieldLimit(limits.rootFields),
  ...validationRules,
];

/** Maximum nesting depth of a document. Parsing and validating take stack for each level. */
const mostLevels = 200;

function parseText(text: string, maxTokens: number): DocumentNode {
  if (documentLevels(text) > mostLevels)
    throw coded(
      new GraphQLError(`Syntax Error: Document is nested deeper than ${String(mostLevels)} levels.`),
      'GRAPHQL_PARSE_FAILED',
    );
  try {
    return parse(text, { maxTokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const refusal = coded(error, 'GRAPHQL_PARSE_FAILED');
    throw error.message.endsWith('Parsing aborted.') ? exceeding('plugins.graphql.config.limits.tokens', refusal) : refusal;
  }
}

/** Calls the rule of graphql-js only for unknown names, because that rule lists all types of the schema for every document. */
const knownTypeNames: ValidationRule = (context) => ({
  NamedType(...visited) {
    if (context.getSchema().getType(visited[0].name.value) !== undefined) return;
    getEnterLeaveForKind(KnownTypeNamesRule(context), Kind.NAMED_TYPE).enter?.(...visited);
  },
});

const message =
  'GraphQL introspection is not allowed by Apollo Server, but the query contained __schema or __type. ' +
  'To enable introspection, pass introspection: true to ApolloServer in production';

/** Refuses `__schema` and `__type` with the message that tools for Strapi v4 expect. `__typename` is always allowed. */
const noIntrospection: ValidationRule = (context) => ({
  Field(node) {
    if (node.name.value === '__schema' || node.name.value === '__type')
      context.reportError(new GraphQLError(message, { nodes: node }));
  },
});

/** Returns the operation to run; the error of Strapi v4 if there is none. */
export function chooseOperation({ definitions }: DocumentNode, name: string | null): OperationDefinitionNode | GraphQLError {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const [first, second] = name === null ? operations : operations.filter((operation) => operation.name?.value === name);
  if (first === undefined)
    return new GraphQLError(name === null ? 'Must provide an operation.' : `Unknown operation named "${name}".`);
  if (second !== undefined) return new GraphQLError('Must provide operation name if query contains multiple operations.');
  return first;
}
