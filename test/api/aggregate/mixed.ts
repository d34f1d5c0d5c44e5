import { distanceOf } from '#model/query/places/geodesy.js';
import type { Place } from '#model/schema/scalars/place.js';
import { makeLibrary, models as plainModels, documentsOf, type Library, type Volume } from './library.js';

/** A volume with values of JSON, places and texts that a collation orders. */
export interface MixedVolume extends Volume {
  readonly title: string | null;
  readonly data: object | null;
  readonly place: Place | null;
  readonly _group: number;
}

export interface MixedLibrary extends Library {
  readonly volumes: readonly MixedVolume[];
}

/** The models of groups, with JSON, a place and a collation. */
export const models = plainModels.map((model) =>
  model.uid === 'api::volume.volume'
    ? {
        ...model,
        options: { draftAndPublish: true, jsonFilters: true },
        attributes: {
          ...(model['attributes'] as object),
          title: { type: 'string', collation: 'de' },
          data: { type: 'json' },
          place: { type: 'point' },
        },
      }
    : model,
);

const titles = ['ä', 'z', 'a', 'Z', 'b\u00adc', 'bc', 'e\u0301', 'é', 'ss', 'ß', null];

/** Makes entries; `random` returns numbers from 0 to 1. Pairs of volumes are localizations of each other. */
export function makeMixed(random: () => number, size: number): MixedLibrary {
  const below = (end: number): number => Math.floor(random() * end);
  const oneOf = <T>(items: readonly T[]): T => items[below(items.length)] as T; // there are some
  const plain = makeLibrary(random, size);
  const volumes = plain.volumes.map((volume) => ({
    ...volume,
    locale: volume._id % 2 === 0 ? 'fr' : 'en',
    _group: Math.ceil(volume._id / 2),
    title: oneOf(titles),
    data: random() < 0.2 ? null : { size: oneOf([1, 5, '5', 'red', true, null]), list: [below(3), 'x'] },
    place: random() < 0.2 ? null : { lng: below(12), lat: below(12) },
  }));
  return { ...plain, volumes };
}

/** Returns the documents of a library by collection. */
export const mixedDocuments = (library: MixedLibrary) => {
  const documents = documentsOf(library);
  return {
    ...documents,
    volumes: documents.volumes.map((one, index) => {
      const { title = null, data = null, place = null, _group = 0 } = library.volumes[index] ?? {};
      return { ...one, title, data, _group, place: place && { type: 'Point', coordinates: [place.lng, place.lat] } };
    }),
  };
};

/** A condition, as REST and GraphQL write it, and which volumes meet it. */
export interface Atom {
  readonly rest: object;
  readonly graphql: string;
  readonly meets: (volume: MixedVolume, library: MixedLibrary) => boolean;
}

type Below = (end: number) => number;

const starsOf = ({ _id }: MixedVolume, { reviews }: MixedLibrary): readonly number[] =>
  reviews.filter(({ volume }) => volume === _id).map(({ stars }) => stars);

const valueIn = (data: object | null, name: string): unknown => (data as Record<string, unknown> | null)?.[name] ?? null;
const bytes = (text: string): Buffer => Buffer.from(text);

/** Conditions of each kind: values, texts beside a collation, relations, quantifiers, JSON and places. */
const atoms: readonly ((below: Below) => Atom)[] = [
  (below) => {
    const least = below(5) * 100;
    return {
      rest: { pages: { $gte: least } },
      graphql: `{ pages: { gte: ${String(least)} } }`,
      meets: ({ pages }) => (pages ?? -1) >= least,
    };
  },
  (below) => {
    const text = titles[below(titles.length - 1)] ?? '';
    const [name, holds] = (
      [
        ['eq', (title: string) => title === text],
        ['ne', (title: string) => title !== text],
        ['lt', (title: string) => Buffer.compare(bytes(title), bytes(text)) < 0],
        ['gte', (title: string) => Buffer.compare(bytes(title), bytes(text)) >= 0],
        ['contains', (title: string) => title.includes(text)],
      ] as const
    )[below(5)] ?? ['eq', () => false];
    return {
      rest: { title: { [`$${name}`]: text } },
      graphql: `{ title: { ${name}: ${JSON.stringify(text)} } }`,
      meets: ({ title }) => title !== null && holds(title),
    };
  },
  (below) => {
    const most = below(6);
    const quantifier = ['none', 'every', 'some'][below(3)] ?? 'some';
    return {
      rest: { reviews: { [`$${quantifier}`]: { stars: { $gt: most } } } },
      graphql: `{ reviews: { ${quantifier}: { stars: { gt: ${String(most)} } } } }`,
      meets: (volume, library) => {
        const stars = starsOf(volume, library);
        if (quantifier === 'every') return stars.every((one) => one > most);
        return stars.some((one) => one > most) === (quantifier === 'some');
      },
    };
  },
  (below) => {
    const id = 1 + below(5);
    return {
      rest: { tags: { $none: { id } } },
      graphql: `{ tags: { none: { id: { eq: ${String(id)} } } } }`,
      meets: ({ tags }) => !tags.includes(id),
    };
  },
  (below) => {
    const room = below(3);
    return {
      rest: { shelf: { room } },
      graphql: `{ shelf: { room: { eq: ${String(room)} } } }`,
      meets: ({ shelf }, { shelves }) => shelves.some((one) => one._id === shelf && one.room === room),
    };
  },
  (below) => {
    const isEqual = below(2) === 0;
    return {
      rest: { data: { size: { [isEqual ? '$eq' : '$ne']: 5 } } },
      graphql: `{ data: { path: "size", ${isEqual ? 'eq' : 'ne'}: "5" } }`,
      meets: ({ data }) => {
        const size = valueIn(data, 'size');
        return size !== null && (size === 5 || size === '5') === isEqual;
      },
    };
  },
  (below) => {
    const item = below(3);
    return {
      rest: { data: { 'list.0': { $lte: item } } },
      graphql: `{ data: { path: "list.0", lte: ${String(item)} } }`,
      meets: ({ data }) => data !== null && Number((valueIn(data, 'list') as unknown[])[0]) <= item,
    };
  },
  (below) => {
    const [west, south] = [below(8), below(8)];
    const box = [west, south, west + 4, south + 4];
    const isDenied = below(3) === 0;
    const within = { $within: { box: box.join() } };
    const shape = `within: { box: [${box.join()}] }`;
    const isInside = ({ lng, lat }: Place): boolean => lng >= west && lng <= west + 4 && lat >= south && lat <= south + 4;
    return {
      rest: { place: isDenied ? { $not: within } : within },
      graphql: `{ place: { ${isDenied ? `not: { ${shape} }` : shape} } }`,
      meets: ({ place }) => place !== null && isInside(place) !== isDenied,
    };
  },
];

/** Returns a random condition: one of the atoms, or several of them with `$and` or `$or`. */
export function drawCondition(below: Below): Atom {
  const parts = Array.from({ length: below(4) }, () => (atoms[below(atoms.length)] ?? drawCondition)(below));
  const word = below(2) === 0 ? 'and' : 'or';
  if (parts.length === 0) return { rest: {}, graphql: '{}', meets: () => true };
  return {
    rest: { [`$${word}`]: parts.map(({ rest }) => rest) },
    graphql: `{ ${word}: [${parts.map(({ graphql }) => graphql).join(', ')}] }`,
    meets: (volume, library) =>
      word === 'and' ? parts.every(({ meets }) => meets(volume, library)) : parts.some(({ meets }) => meets(volume, library)),
  };
}

/** What entries a question is about. */
export interface Scope {
  readonly preview: boolean;
  /** `fallback`: the French entries, or the English ones in place of them. */
  readonly locale: 'en' | 'fr' | 'all' | 'fallback';
  /** Whether the caller has the row rule that volumes are lent. */
  readonly isRuled: boolean;
}

/** Returns the volumes that a caller sees in a scope. */
export function volumesIn({ preview, locale, isRuled }: Scope, { volumes }: MixedLibrary): readonly MixedVolume[] {
  const seen = volumes.filter(({ publishedAt, lent }) => (preview || publishedAt !== null) && (!isRuled || lent === true));
  if (locale === 'all') return seen;
  if (locale !== 'fallback') return seen.filter((one) => one.locale === locale);
  return seen.filter((one) => one.locale === 'fr' || !seen.some((other) => other._group === one._group && other.locale === 'fr'));
}

/** Returns a value as the parameters of a query string. */
export function spellParameters(name: string, value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`${name}=${encodeURIComponent(String(value))}`];
  return Object.entries(value).flatMap(([key, inner]) => spellParameters(`${name}[${key}]`, inner));
}

/** Returns the volumes around a place with their distances, the nearest first. */
export const nearestTo = (center: Place, most: number, volumes: readonly MixedVolume[]) =>
  volumes
    .flatMap(({ _id, place }) => (place === null ? [] : [{ id: _id, distance: distanceOf(center, place) }]))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => (Math.abs(a.distance - b.distance) < 1e-6 ? a.id - b.id : a.distance - b.distance));
