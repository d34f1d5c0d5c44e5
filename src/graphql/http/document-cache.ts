import { GraphQLError, parse, specifiedRules, validate } from 'graphql';
import type { DocumentNode, GraphQLSchema, ValidationRule } from 'graphql';
import { BoundedCache } from '../../bounded-cache.js';
import { aliasLimit, rootFieldLimit } from '../limits/count-limits.js';
import { depthLimit } from '../limits/depth-limit.js';
import { noIntrospection } from '../limits/no-introspection.js';
import { coded } from './format-error.js';
import type { GraphqlSettings } from './graphql-settings.js';

/** A document that passed every check, or what is wrong with it. */
export type Prepared =
  | { readonly kind: 'document'; readonly document: DocumentNode }
  | { readonly kind: 'errors'; readonly errors: readonly GraphQLError[] };

/** Parses and validates a query text against a schema. */
export type Prepare = (schema: GraphQLSchema, text: string) => Prepared;

/** The documents that are kept for a schema. A parsed document takes about 150 bytes for each character of its text. */
const bounds = { entries: 2_000, bytes: 64_000_000 };
const bytesPerCharacter = 150;

/** Good documents are remembered by text and schema: parsing and validating cost several times what execution does. */
export function createDocumentCache(settings: GraphqlSettings): Prepare {
  const rules = rulesOf(settings);
  const bySchema = new WeakMap<GraphQLSchema, BoundedCache<Prepared>>();
  return (schema, text) => {
    const documents = bySchema.get(schema) ?? new BoundedCache<Prepared>(bounds);
    bySchema.set(schema, documents);
    const known = documents.get(text);
    if (known !== undefined) return known;
    const prepared = prepare(schema, text, { rules, tokens: settings.limits.tokens });
    if (prepared.kind === 'document') documents.set(text, prepared, bytesPerCharacter * text.length);
    return prepared;
  };
}

const rulesOf = ({ limits, introspection, validationRules }: GraphqlSettings): readonly ValidationRule[] => [
  ...specifiedRules,
  ...(introspection ? [] : [noIntrospection]),
  depthLimit(limits.depth),
  aliasLimit(limits.aliases),
  rootFieldLimit(limits.rootFields),
  ...validationRules,
];

interface Checks {
  readonly rules: readonly ValidationRule[];
  readonly tokens: number;
}

function prepare(schema: GraphQLSchema, text: string, { rules, tokens }: Checks): Prepared {
  let document: DocumentNode;
  try {
    document = parse(text, { maxTokens: tokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return { kind: 'errors', errors: [coded(error, 'GRAPHQL_PARSE_FAILED')] };
  }
  const errors = validate(schema, document, rules);
  if (errors.length === 0) return { kind: 'document', document };
  return { kind: 'errors', errors: errors.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED')) };
}
