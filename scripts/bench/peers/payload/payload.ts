import { attributesOf } from '../../models.js';
import { type HttpRequest, spell } from '../../questions.js';
import { type Condition, distantFuture, type Inquiry, takeApart, texts, translate } from '../inquiry.js';
import { installPeer, peerFolder } from '../install-peer.js';
import { type Peer, unordered } from '../peer.js';
import { rebuild, type Values } from '../plain-answer.js';

const version = '3.90.2';

export const payloadFolder = peerFolder('payload', version);

/** Payload's REST API on MongoDB, on the server that its documentation of `handleEndpoints` names, without Next.js and its panel. */
export const payload: Peer = {
  name: 'payload',
  title: `Payload ${version} on MongoDB`,
  program: 'peers/payload/server',
  onMongoDB: true,
  options: (size) => [size],
  install: () =>
    installPeer(payloadFolder, {
      ...{ payload: version, '@payloadcms/db-mongodb': version, graphql: '16.13.2' },
      ...{ '@hono/node-server': '2.1.9', hono: '4.13.19' },
    }),
  ask: (request) => askPayload(takeApart(request)),
  read: readPayload,
  loose: new Set(unordered),
};

/** Returns the id of an entry by its number in the data set: as long as the ids that Payload makes. */
export const payloadId = (id: number): string => id.toString(16).padStart(24, '0');

function askPayload(inquiry: Inquiry): HttpRequest {
  const { collection, id, data, populate } = inquiry;
  // at depth 1, all relations of the entries are populated, and of their components
  const depth = populate?.length === 0 ? 0 : 1;
  const path = `/api/${collection}${id === null ? '' : `/${payloadId(id)}`}`;
  if (data !== null) {
    const method = id === null ? 'POST' : 'PATCH';
    return { method, path: `${path}?depth=0`, body: JSON.stringify(toPayload(collection, data)) };
  }
  return { method: 'GET', path: `${path}?${spell({ depth, ...(id === null && listQuery(inquiry)) })}` };
}

function listQuery({ conditions, search, isLive, sort, page, pageSize }: Inquiry): object {
  const live = { publishedAt: { less_than: distantFuture } };
  return {
    limit: pageSize,
    page,
    ...(sort && { sort: `${sort.isDescending ? '-' : ''}${sort.path}` }),
    where: { ...(isLive && live), ...Object.fromEntries(conditions.map(toWhere)), ...(search !== null && { or: orOf(search) }) },
  };
}

const orOf = (contains: string): readonly object[] => texts.map((name) => ({ [name]: { contains } }));

const toWhere = ({ path, operator, operand }: Condition): readonly [string, object] => [
  path.join('.'),
  translate(operators, operator)(operand as never), // as the workload spells it
];

const operators: Readonly<Record<string, ((operand: never) => object) | undefined>> = {
  $eq: (equals: string) => ({ equals }),
  $in: (texts: readonly string[]) => ({ in: texts }),
  $containsi: (contains: string) => ({ contains }),
  // a range: Payload has no such operator
  $startsWith: (start: string) => ({ greater_than_equal: start, less_than: start.slice(0, -1) + after(start.slice(-1)) }),
};

const after = (character: string): string => String.fromCharCode(character.charCodeAt(0) + 1);

/** Links of a new entry are ids in the workload. */
function toPayload(collection: string, data: Values): Values {
  const attributes = attributesOf(collection);
  const toId = (value: unknown): unknown => (Array.isArray(value) ? value.map(toId) : payloadId(Number(value)));
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, attributes[name]?.type === 'relation' ? toId(value) : value]),
  );
}

function readPayload(answer: unknown): unknown {
  const { docs, doc = answer, totalDocs } = answer as Partial<Record<'docs' | 'doc' | 'totalDocs', unknown>>;
  return { data: rebuild(docs ?? doc, readEntry), total: totalDocs };
}

/** Links that are not populated are left out; so are the ids of components, which have no times. */
function readEntry({ id, blockType, ...values }: Values): unknown {
  const rest = Object.entries(values).filter(([, value]) => !isLink(value) && !(Array.isArray(value) && value.every(isLink)));
  return {
    ...Object.fromEntries(rest),
    ...(values.createdAt !== undefined && { id: parseInt(String(id), 16) }),
    __component: blockType,
  };
}

const isLink = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{24}$/.test(value);
