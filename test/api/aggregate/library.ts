import { Long } from 'mongodb';
import { collectionType } from '../../support/collection-type.js';
import type { TestModel } from '../../support/serve.js';

/** Models with a key of each kind. */
export const models: readonly TestModel[] = [
  collectionType('shelf', { name: { type: 'string' }, room: { type: 'integer' } }, { options: { draftAndPublish: true } }),
  collectionType('tag', { name: { type: 'string' }, hidden: { type: 'boolean' } }),
  {
    uid: 'part.origin',
    kind: undefined,
    info: { displayName: 'Origin' },
    attributes: { place: { type: 'string' }, year: { type: 'integer' } },
  },
  collectionType(
    'volume',
    {
      title: { type: 'string' },
      kind: { type: 'enumeration', enum: ['map', 'novel', 'essay'] },
      pages: { type: 'integer' },
      price: { type: 'decimal' },
      serial: { type: 'biginteger' },
      lent: { type: 'boolean' },
      day: { type: 'date' },
      at: { type: 'datetime' },
      body: { type: 'richtext' },
      secret: { type: 'string', private: true },
      origin: { type: 'component', component: 'part.origin' },
      parts: { type: 'component', component: 'part.origin', repeatable: true },
      shelf: { type: 'relation', relation: 'manyToOne', target: 'api::shelf.shelf' },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      reviews: { type: 'relation', relation: 'oneToMany', target: 'api::review.review', mappedBy: 'volume' },
    },
    { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } },
  ),
  collectionType('review', {
    stars: { type: 'integer' },
    volume: { type: 'relation', relation: 'manyToOne', target: 'api::volume.volume', inversedBy: 'reviews' },
  }),
].map(({ kind, ...model }: TestModel & { readonly kind?: unknown }) => (kind === undefined ? model : { ...model, kind }));

const at = new Date('2026-01-01T00:00:00.000Z');
const times = { createdAt: at, updatedAt: at };

/** A volume as it is stored. */
export interface Volume {
  readonly _id: number;
  readonly kind: string | null;
  readonly pages: number | null;
  readonly price: number | null;
  readonly serial: bigint | null;
  readonly lent: boolean | null;
  readonly day: string | null;
  readonly at: Date | null;
  readonly origin: { readonly id: number; readonly place: string | null; readonly year: number | null } | null;
  readonly shelf: number | null;
  readonly tags: readonly number[];
  readonly locale: string;
  readonly publishedAt: Date | null;
}

export interface Library {
  readonly volumes: readonly Volume[];
  readonly shelves: readonly {
    readonly _id: number;
    readonly name: string;
    readonly room: number;
    readonly publishedAt: Date | null;
  }[];
  readonly tags: readonly { readonly _id: number; readonly name: string; readonly hidden: boolean }[];
  readonly reviews: readonly { readonly _id: number; readonly stars: number; readonly volume: number | null }[];
}

/** Makes entries; `random` returns numbers from 0 to 1. */
export function makeLibrary(random: () => number, size: number): Library {
  const below = (end: number): number => Math.floor(random() * end);
  const orNull = <T>(value: () => T): T | null => (random() < 0.2 ? null : value());
  const oneOf = <T>(items: readonly T[]): T => items[below(items.length)] as T; // there are some
  const moment = (): Date => new Date(Date.UTC(2023 + below(4), below(12), 1 + below(28), below(24), below(60)));
  const shelves = Array.from({ length: 6 }, (_, n) => ({
    _id: n + 1,
    name: oneOf(['north', 'south', 'Éast']),
    room: below(3),
    publishedAt: n === 4 ? null : at,
  }));
  const tags = Array.from({ length: 5 }, (_, n) => ({ _id: n + 1, name: `t${String(n % 3)}`, hidden: n > 2 }));
  const volumes = Array.from({ length: size }, (_, n) => ({
    _id: n + 1,
    kind: orNull(() => oneOf(['map', 'novel', 'essay'])),
    pages: orNull(() => below(5) * 100),
    price: orNull(() => below(8) / 4),
    serial: orNull(() => 9_007_199_254_740_991n + BigInt(below(4))),
    lent: orNull(() => random() < 0.5),
    day: orNull(() => moment().toISOString().slice(0, 10)),
    at: orNull(moment),
    origin: orNull(() => ({ id: n + 1, place: orNull(() => oneOf(['Rome', 'Oslo'])), year: orNull(() => 1900 + below(3)) })),
    shelf: orNull(() => 1 + below(6)),
    tags: [1, 2, 3, 4, 5].filter(() => random() < 0.3),
    locale: oneOf(['en', 'en', 'fr']),
    publishedAt: orNull(() => at),
  }));
  const reviews = Array.from({ length: size }, (_, n) => ({
    _id: n + 1,
    stars: below(6),
    volume: orNull(() => 1 + below(size)),
  }));
  return { volumes, shelves, tags, reviews };
}

/** Returns the documents of a library by collection. */
export const documentsOf = ({ volumes, shelves, tags, reviews }: Library) => ({
  shelfs: shelves.map((one) => ({ ...one, ...times })),
  tags: tags.map((one) => ({ ...one, ...times })),
  reviews: reviews.map((one) => ({ ...one, ...times })),
  volumes: volumes.map((one) => ({
    ...one,
    ...times,
    title: `v${String(one._id)}`,
    serial: one.serial === null ? null : Long.fromBigInt(one.serial),
    _group: one._id,
  })),
  i18n_locales: ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, ...times })),
});
