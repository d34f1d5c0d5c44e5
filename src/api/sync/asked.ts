import { validationError } from '#base/errors.js';
import { readParameters } from '#http/query-string.js';
import type { QueryParameters } from '#http/query-string.js';
import { parseFields } from '#model/query/parse-list.js';
import { parseQuery } from '#model/query/parse-query.js';
import type { Query } from '#model/query/ast.js';
import type { Config } from '#settings/config.js';
import type { Values } from '#base/values.js';
import { SharedValues } from '#base/caches.js';

/** What a client asks for: the entries, and which of their values. */
export type Asked = Pick<Query, 'filter' | 'fields' | 'locale' | 'publicationState'>;

/** A query string of a sync request. */
interface AskedRequest {
  readonly asked: Asked;
  /** The other parameters. */
  readonly rest: Values;
}

/** What clients ask, by the text of their queries. */
const questions = new SharedValues<Asked>();

const selecting = ['filters', 'fields', 'locale', 'publicationState'] as const;

/**
 * Parses the query string of a request. `others` are the names of its further parameters, which have one value. Throws a
 * ValidationError for parameters that are not supported, and for values that are invalid.
 */
export function parseAsked(query: QueryParameters, others: readonly string[], { api }: Pick<Config, 'api'>): AskedRequest {
  const input = readParameters(query, api.limits);
  const known: readonly string[] = [...selecting, ...others];
  for (const name of Object.keys(input))
    if (!known.includes(name)) throw validationError(`Invalid parameter ${name}: sync supports only ${known.join(', ')}`);
  for (const name of others)
    if (typeof (input[name] ?? '') !== 'string') throw validationError(`Invalid parameter ${name}: it must have one value`);
  const selected = pick(input, selecting);
  const { filter, locale, publicationState } = parseQuery(selected, api.limits);
  const asked = { filter, fields: parseFields(input['fields']), locale, publicationState };
  return { asked: questions.share(JSON.stringify(selected), asked), rest: pick(input, others) };
}

const pick = (input: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.flatMap((name) => (name in input ? [[name, input[name]]] : [])));
