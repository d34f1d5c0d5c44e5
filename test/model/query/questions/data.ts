import { Draw } from '../../../content/rights/no-leak/draw.js';
import { linkRows, type Row } from './link-rows.js';
import { drawFields, holderOf } from './world.js';

/** An entry as it is stored, with moments as text. */
export type Stored = Readonly<Record<string, unknown>> & { readonly _id: number };

/** The same data twice: as it is stored, by collection, and as rows of the oracle, by type. */
export interface Data {
  readonly documents: Readonly<Record<string, readonly object[]>>;
  readonly rows: Readonly<Record<string, readonly Row[]>>;
}

const counts = { articles: 24, persons: 6, tags: 5, users: 4, files: 5 };

const roles: readonly Stored[] = [
  { _id: 1, name: 'Authenticated', description: 'Default role', type: 'authenticated' },
  { _id: 2, name: 'Public', description: null, type: 'public' },
];

/** What the entries are drawn with. */
interface Drawing {
  readonly draw: Draw;
  /** Returns an id that no component has yet. */
  readonly nextPart: () => number;
}

/** Draws entries with every mixture of values, links, components, drafts and locales. */
export function drawData(seed: number): Data {
  const draw = new Draw(seed);
  let parts = 0;
  const drawing: Drawing = { draw, nextPart: () => ++parts };
  const ids = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
  const persons = ids(counts.persons).map((id) => drawPerson(id, draw));
  const tags = ids(counts.tags).map((id) => drawTag(id, draw));
  const articles = drawPlaces(counts.articles, draw).map((place, index) => drawArticle(index + 1, place, drawing));
  const users = ids(counts.users).map((id) => ({ ...drawNamed('user', 'username', id, draw), role: drawId(roles.length, draw) }));
  const files = ids(counts.files).map((id) => drawNamed('file', 'name', id, draw));
  const documents = { articles, persons, tags };
  const locales = ['en', 'fr', 'de'].map((code, index) => ({ _id: index + 1, code, name: code }));
  const stored = { ...mapValues({ ...documents, files }, asStored), up_users: users, up_roles: roles, i18n_locales: locales };
  return { documents: stored, rows: linkRows({ ...documents, users, files, roles }) };
}

const mapValues = <In, Out>(values: Readonly<Record<string, readonly In[]>>, change: (value: In) => Out): Record<string, Out[]> =>
  Object.fromEntries(Object.entries(values).map(([name, list]) => [name, list.map(change)]));

const dates = new Set(['at', 'publishedAt']);

/** Moments are stored as dates. */
const asStored = (document: Stored): object =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => [
      name,
      dates.has(name) && typeof value === 'string' ? new Date(value) : value,
    ]),
  );

const drawId = (below: number, draw: Draw): number | null => (draw.chance(0.25) ? null : draw.whole(below) + 1);

const drawIds = (below: number, share: number, draw: Draw): number[] => {
  const ids = draw.some(
    Array.from({ length: below }, (_, index) => index + 1),
    share,
  );
  return draw.chance(0.5) ? ids.reverse() : ids;
};

const drawPerson = (id: number, draw: Draw): Stored => ({
  _id: id,
  ...drawFields(holderOf('person'), draw),
  boss: drawId(counts.persons, draw),
  _ranks: { boss: draw.whole(5) },
});

/** A person leads one tag at most. */
const drawTag = (id: number, draw: Draw): Stored => ({
  _id: id,
  ...drawFields(holderOf('tag'), draw),
  publishedAt: draw.chance(0.3) ? null : '2024-01-01T10:00:00.000Z',
  lead: draw.chance(0.6) ? id : null,
});

/** A user or a file: one name of it is never null, and nobody else's. */
const drawNamed = (type: string, name: string, id: number, draw: Draw): Stored => {
  const fields = drawFields(holderOf(type), draw);
  return { _id: id, ...fields, [name]: `${String(fields[name])}${String(id)}` };
};

/** Groups of one to three locales. */
function drawPlaces(count: number, draw: Draw): Place[] {
  const places: Place[] = [];
  while (places.length < count) {
    const group = places.length + 1;
    for (const locale of draw.of(localeGroups) ?? []) places.push({ locale, _group: group });
  }
  return places.slice(0, count);
}

interface Place {
  readonly locale: string;
  readonly _group: number;
}

const localeGroups = [['en'], ['en'], ['fr'], ['en', 'fr'], ['fr', 'en', 'de']];

function drawArticle(id: number, place: Place, drawing: Drawing): Stored {
  const { draw } = drawing;
  const tags = drawIds(counts.tags, 0.3, draw);
  return {
    _id: id,
    ...drawFields(holderOf('article'), draw),
    publishedAt: draw.chance(0.3) ? null : '2024-01-02T00:00:00.000Z',
    ...place,
    author: drawId(counts.persons, draw),
    tags,
    related: drawIds(counts.articles, 0.05, draw),
    editor: drawId(counts.users, draw),
    readers: drawIds(counts.users, 0.3, draw),
    cover: drawId(counts.files, draw),
    files: drawIds(counts.files, 0.3, draw),
    main: draw.chance(0.3) ? null : drawPart(drawing),
    parts: drawMany(4, draw, () => drawPart(drawing)),
    zone: drawMany(4, draw, () =>
      draw.chance(0.5) ? { __component: holderOf('part').uid, ...drawPart(drawing) } : drawNote(drawing),
    ),
    subjects: [
      ...drawIds(counts.persons, 0.15, draw).map((one) => ({ __type: holderOf('person').uid, id: one, rank: draw.whole(9) })),
      ...drawIds(counts.tags, 0.2, draw).map((one) => ({ __type: holderOf('tag').uid, id: one, rank: draw.whole(9) })),
    ],
    _ranks: { author: draw.whole(9), tags: Object.fromEntries(tags.map((tag) => [tag, draw.whole(9)])) },
  };
}

const drawMany = <Item>(most: number, draw: Draw, make: () => Item): Item[] => Array.from({ length: draw.whole(most) }, make);

const drawPart = ({ draw, nextPart }: Drawing): object => ({
  id: nextPart(),
  ...drawFields(holderOf('part'), draw),
  maker: drawId(counts.persons, draw),
  fans: drawIds(counts.persons, 0.2, draw),
  image: drawId(counts.files, draw),
  marks: drawMany(3, draw, () => ({ id: nextPart(), ...drawFields(holderOf('mark'), draw) })),
});

const drawNote = ({ draw, nextPart }: Drawing): object => ({
  __component: holderOf('note').uid,
  id: nextPart(),
  ...drawFields(holderOf('note'), draw),
  maker: drawId(counts.persons, draw),
});
