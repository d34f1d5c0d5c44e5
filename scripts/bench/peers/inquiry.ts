import { parse } from 'qs';
import { attributesOf } from '../models.js';
import type { HttpRequest } from '../questions.js';
import type { Values } from './plain-answer.js';

/** A request of the workload, taken apart, so that it can be put to a peer. */
export interface Inquiry {
  readonly collection: string;
  /** Of one entry. */
  readonly id: number | null;
  readonly conditions: readonly Condition[];
  /** The text that one of the `texts` contains. */
  readonly search: string | null;
  /** Whether drafts are left out of the list. */
  readonly isLive: boolean;
  readonly sort: { readonly path: string; readonly isDescending: boolean } | null;
  readonly page: number;
  readonly pageSize: number;
  /** The relations that are populated; null: those of the entries and of their components. */
  readonly populate: readonly string[] | null;
  /** The values to write. */
  readonly data: Values | null;
}

/** What a list is filtered by: the value of an attribute, or of one of a related entry. */
export interface Condition {
  readonly path: readonly string[];
  readonly operator: string;
  readonly operand: unknown;
}

interface Query {
  readonly filters?: Values;
  readonly _q?: string;
  readonly sort?: string;
  readonly pagination?: { readonly page?: string; readonly pageSize?: string };
  readonly populate?: readonly string[] | Values;
  readonly publicationState?: 'preview';
}

const textual = ['string', 'uid', 'text', 'richtext', 'enumeration'];
const known = ['filters', '_q', 'sort', 'pagination', 'populate', 'publicationState'];

/** Takes a request apart. Throws an Error that names what peers have no equal of. */
export function takeApart({ path, body }: HttpRequest): Inquiry {
  const [, collection, id, search = ''] = /^\/api\/(\w+)(?:\/(\d+))?(?:\?(.*))?$/.exec(path) ?? [];
  if (collection === undefined) throw new Error(`no equal of ${path}`);
  const query = parse(search, { depth: 10, arrayLimit: 100 }) as Query; // as the workload spells them
  const unknown = Object.keys(query).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Error(`no equal of "${unknown}"`);
  const { filters = {}, _q = null, sort, pagination, populate = [], publicationState } = query;
  const [sorted = '', order] = sort?.split(':') ?? [];
  return {
    collection,
    id: id === undefined ? null : Number(id),
    conditions: [...conditionsOf(filters, [])],
    search: _q,
    isLive: publicationState !== 'preview',
    sort: sort === undefined ? null : { path: sorted, isDescending: order === 'desc' },
    page: Number(pagination?.page ?? 1),
    pageSize: Number(pagination?.pageSize ?? 25),
    populate: Array.isArray(populate) ? (populate as readonly string[]) : null,
    data: body === undefined ? null : (JSON.parse(body) as { readonly data: Values }).data,
  };
}

/** Lists without drafts are asked for entries that were published before it: an index answers that, and not whether there is a time. */
export const distantFuture = '2100-01-01T00:00:00.000Z';

/** The attributes of articles in which a search looks. */
export const texts = Object.entries(attributesOf('articles')).flatMap(([name, { type }]) => (textual.includes(type) ? name : []));

function* conditionsOf(filters: Values, path: readonly string[]): Generator<Condition> {
  for (const [name, value] of Object.entries(filters)) {
    if (name.startsWith('$')) yield { path, operator: name, operand: value };
    else yield* conditionsOf(value as Values, [...path, name]); // operators are the leaves
  }
}

/** Returns what a table has for an operator. Throws an Error if it has nothing. */
export function translate<T>(table: Readonly<Record<string, T | undefined>>, operator: string): T {
  const found = table[operator];
  if (found === undefined) throw new Error(`no equal of "${operator}"`);
  return found;
}
