import type { Attribute, ContentType } from '#model/schema/content-type.js';
import type { Draw } from './draw.js';
import { maySee, mayUse, targetOf, type Rights } from './rights.js';
import { walk, type Walk } from './walk.js';

/** A part of a query, and whether it names what the role may not use. */
export interface Asked {
  readonly query: Readonly<Record<string, unknown>>;
  readonly isRefused: boolean;
}

interface AskedChild {
  readonly query: unknown;
  readonly isRefused: boolean;
}

/** A query with the filter that decides which entries answer it, if it has one. */
export interface AskedList extends Asked {
  readonly filter: Walk | null;
}

const nest = (path: readonly string[], value: unknown): unknown => path.reduceRight((inner, name) => ({ [name]: inner }), value);

const compared = ({ path, value }: Walk): unknown => nest(path, value === null ? { $null: true } : { $eq: value });

/** Filters, sort, fields and populate, in any of their forms. */
export function askRest(type: ContentType, rights: Rights, draw: Draw): AskedList {
  const filter = draw.chance(0.5) ? walk(type, rights, draw) : null;
  const inner = askParts(type, rights, draw, 0);
  return {
    query: { ...inner.query, ...(filter !== null && { filters: wrapped(compared(filter), draw) }) },
    isRefused: inner.isRefused || filter?.mayFilter === false,
    filter,
  };
}

/** Says the same in other words. */
function wrapped(filter: unknown, draw: Draw): unknown {
  if (draw.chance(0.7)) return filter;
  return draw.of([{ $and: [filter] }, { $or: [filter, { id: { $eq: 0 } }] }, { $not: { $not: filter } }]);
}

function askParts(type: ContentType, rights: Rights, draw: Draw, depth: number): Asked {
  const sort = draw.chance(0.2) && type.kind !== 'component' ? walk(type, rights, draw) : null;
  const { query, isRefused } = askFields(type, rights, draw, depth);
  if (sort === null) return { query, isRefused };
  return { query: { ...query, sort: `${sort.path.join('.')}:desc` }, isRefused: isRefused || !sort.maySort };
}

function askFields(type: ContentType, rights: Rights, draw: Draw, depth: number): Asked {
  const fields = draw.chance(0.2) ? draw.some(scalarsOf(type), 0.3) : [];
  const populate = draw.chance(0.8) ? askPopulate(type, rights, draw, depth) : null;
  return {
    query: {
      ...(fields.length > 0 && { fields: fields.map(({ name }) => name) }),
      ...(populate !== null && { populate: populate.query }),
    },
    isRefused: (populate?.isRefused ?? false) || fields.some((attribute) => !mayUse(rights, type, attribute)),
  };
}

const scalarsOf = (type: ContentType): Attribute[] => [...type.attributes.values()].filter(({ kind }) => kind === 'scalar');

/** Also names attributes that the role may not see. They are silently left out, with everything below them. */
function askPopulate(type: ContentType, rights: Rights, draw: Draw, depth: number): AskedChild {
  if (draw.chance(0.2)) return { query: '*', isRefused: false };
  const parts = [...type.attributes.values()].filter(({ kind }) => kind !== 'scalar');
  const chosen = draw.some(parts, 2.5 / (parts.length * (1 + depth / 2)));
  const asked = chosen.map((attribute) => [attribute, askChild(attribute, rights, draw, depth)] as const);
  return {
    query: Object.fromEntries(asked.map(([{ name }, { query }]) => [name, query])),
    isRefused: asked.some(([attribute, { isRefused }]) => isRefused && isFollowed(type, attribute, rights)),
  };
}

function isFollowed(type: ContentType, attribute: Attribute, rights: Rights): boolean {
  const isLink = attribute.kind === 'relation' || attribute.kind === 'media';
  return mayUse(rights, type, attribute) && (!isLink || maySee(rights, attribute.target));
}

function askChild(attribute: Attribute, rights: Rights, draw: Draw, depth: number): AskedChild {
  if (depth >= 4) return { query: true, isRefused: false };
  if (attribute.kind === 'dynamiczone') return askFragments(attribute.components, rights, draw, depth);
  if (attribute.kind === 'morph') return askFragments([...rights.world.rows.keys()], rights, draw, depth);
  const target = targetOf(attribute, rights.world);
  if (target === null) return { query: true, isRefused: false };
  if (attribute.kind === 'relation' && draw.chance(0.15)) return { query: { count: true }, isRefused: false };
  const { query, isRefused } = askParts(target, rights, draw, depth + 1);
  const filter = attribute.kind === 'relation' && draw.chance(0.25) ? walk(target, rights, draw) : null;
  return {
    query: {
      ...query,
      ...(filter !== null && { filters: compared(filter) }),
      ...(Object.keys(query).length === 0 && { populate: '*' }),
    },
    isRefused: isRefused || filter?.mayFilter === false,
  };
}

/** Something else for each type that a dynamic zone or a polymorphic relation may hold. */
function askFragments(uids: readonly string[], rights: Rights, draw: Draw, depth: number): AskedChild {
  if (draw.chance(0.4)) return { query: { populate: '*' }, isRefused: false };
  const types = draw.some(uids, 0.5).flatMap((uid) => rights.world.registry.types.get(uid) ?? []);
  const asked = types.map((type) => [type, askFields(type, rights, draw, depth + 1)] as const);
  return {
    query: { on: Object.fromEntries(asked.map(([{ uid }, { query }]) => [uid, { populate: '*', ...query }])) },
    isRefused: asked.some(([{ uid, kind }, { isRefused }]) => isRefused && (kind === 'component' || maySee(rights, uid))),
  };
}
