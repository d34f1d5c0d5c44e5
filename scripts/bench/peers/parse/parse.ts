import type { HttpRequest } from '../../questions.js';
import { type Condition, distantFuture, type Inquiry, takeApart, texts, translate } from '../inquiry.js';
import { installPeer, peerFolder } from '../install-peer.js';
import { type Peer, unordered } from '../peer.js';
import { rebuild, type Values } from '../plain-answer.js';

const version = '9.10.0';

export const parseFolder = peerFolder('parse', version);

export const applicationId = 'bench';

/** Parse Server's REST API on MongoDB. */
export const parse: Peer = {
  name: 'parse',
  title: `Parse Server ${version} on MongoDB`,
  program: 'peers/parse/server',
  onMongoDB: true,
  options: (size) => [size],
  install: () => installPeer(parseFolder, { 'parse-server': version }),
  ask: (request) => ({ ...askParse(takeApart(request)), headers: { 'x-parse-application-id': applicationId } }),
  read: readParse,
  recall: readBack,
  loose: new Set(unordered),
};

/** Classes by the collections of the data set, and by the relations whose name is not that of a collection. */
export const classes: Readonly<Record<string, string | undefined>> = {
  ...{ articles: 'Article', authors: 'Author', categories: 'Category', tags: 'Tag' },
  ...{ author: 'Author' },
};

/** Returns the class of a collection or relation. Throws an Error if there is none. */
export function classOf(name: string): string {
  const found = classes[name];
  if (found === undefined) throw new Error(`no components and dynamic zones, of which ${name} consist`);
  return found;
}

/** Returns the id of an entry by its number in the data set: as long as the ids that Parse Server makes. */
export const parseId = (id: unknown): string => String(id).padStart(10, '0');

/** Returns a link to an entry. */
export const toPointer = (relation: string, id: unknown): object => ({
  __type: 'Pointer',
  className: classOf(relation),
  objectId: parseId(id),
});

function askParse(inquiry: Inquiry): HttpRequest {
  const { collection, id, data, populate } = inquiry;
  const path = `/parse/classes/${classOf(collection)}${id === null ? '' : `/${parseId(id)}`}`;
  if (data !== null) return { method: id === null ? 'POST' : 'PUT', path, body: JSON.stringify(toParse(data)) };
  const include = populate?.length ? { include: populate.join(',') } : {};
  const query = { ...include, ...(id === null && listQuery(inquiry)) };
  return { method: 'GET', path: `${path}?${new URLSearchParams(query).toString()}` };
}

function listQuery({ conditions, search, isLive, sort, page, pageSize }: Inquiry): Record<string, string> {
  if (sort?.path.includes('.')) throw new Error('no sort by an attribute of a relation');
  const live = { publishedAt: { $lt: toDate(distantFuture) } };
  return {
    where: JSON.stringify({
      ...(isLive && live),
      ...Object.fromEntries(conditions.map(toWhere)),
      ...(search !== null && orOf(search)),
    }),
    limit: String(pageSize),
    skip: String((page - 1) * pageSize),
    count: '1',
    ...(sort && { order: `${sort.isDescending ? '-' : ''}${sort.path}` }),
  };
}

const orOf = (text: string): object => ({ $or: texts.map((name) => ({ [name]: contains(text) })) });

function toWhere({ path: [first = '', second], operator, operand }: Condition): readonly [string, object] {
  const condition = translate(operators, operator)(operand);
  if (second === undefined) return [first, condition];
  return [first, { $inQuery: { className: classOf(first), where: { [second]: condition } } }];
}

const operators: Readonly<Record<string, ((operand: unknown) => object) | undefined>> = {
  $eq: ($eq) => ({ $eq }),
  $in: ($in) => ({ $in }),
  $containsi: contains,
  $startsWith: (text) => ({ $regex: `^\\Q${String(text)}\\E` }),
};

function contains(text: unknown): object {
  return { $regex: `\\Q${String(text)}\\E`, $options: 'i' };
}

const toDate = (iso: unknown): object => ({ __type: 'Date', iso });

/** Links of a new entry are ids in the workload. */
function toParse({ publishedAt, ...data }: Values): Values {
  const entries = Object.entries(data).map(([name, value]) => [name, name in classes ? toLinks(name, value) : value] as const);
  return {
    ...Object.fromEntries(entries),
    ...(publishedAt !== undefined && { publishedAt: toDate(publishedAt) }),
  };
}

/** Returns the links to one entry or several, by their ids in the data set. */
export const toLinks = (relation: string, ids: unknown): unknown =>
  Array.isArray(ids) ? ids.map((id) => toPointer(relation, id)) : toPointer(relation, ids);

/** It answers a write by an id and a time alone. */
function readBack({ method, path, headers = {} }: HttpRequest, answer: unknown): HttpRequest | null {
  if (method === 'GET') return null;
  const { objectId } = answer as { readonly objectId?: string };
  return { method: 'GET', path: objectId === undefined ? path : `${path}/${objectId}`, headers };
}

function readParse(answer: unknown): unknown {
  const { results, count } = answer as { readonly results?: unknown; readonly count?: number };
  return { data: rebuild(results ?? answer, readObject), total: count };
}

/** Links that are not populated are left out. */
function readObject({ __type, objectId, iso, ...values }: Values): unknown {
  if (__type === 'Pointer') return undefined;
  return __type === 'Date' ? iso : { ...(objectId !== undefined && { id: Number(objectId) }), ...values, className: undefined };
}
