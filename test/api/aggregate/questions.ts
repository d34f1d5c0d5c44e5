import type { Question, Row } from './oracle.js';

const filters: readonly Question['filter'][] = [
  { query: '', graphql: '{}', meets: () => true },
  { query: 'filters[pages][$gte]=200', graphql: '{ pages: { gte: 200 } }', meets: ({ pages }) => (pages ?? -1) >= 200 },
  { query: 'filters[kind][$ne]=map', graphql: '{ kind: { ne: "map" } }', meets: ({ kind }) => kind !== null && kind !== 'map' },
  {
    query: 'filters[shelf][room]=1',
    graphql: '{ shelf: { room: { eq: 1 } } }',
    meets: ({ shelf }, { shelves }) => shelves.some(({ _id, room }) => _id === shelf && room === 1),
  },
  {
    query: 'filters[reviews][stars][$gt]=3',
    graphql: '{ reviews: { stars: { gt: 3 } } }',
    meets: ({ _id }, { reviews }) => reviews.some(({ volume, stars }) => volume === _id && stars > 3),
  },
  {
    query: 'filters[$or][0][lent]=true&filters[$or][1][origin][place]=Rome',
    graphql: '{ or: [{ lent: { eq: true } }, { origin: { place: { eq: "Rome" } } }] }',
    meets: ({ lent, origin }) => lent === true || origin?.place === 'Rome',
  },
  { query: 'filters[id][$in]=', graphql: '{ id: { in: [] } }', meets: () => false },
];

const keys = [
  ...['kind', 'pages', 'lent', 'serial', 'day', 'price', 'origin.place', 'origin.year', 'locale'],
  ...['shelf', 'shelf.name', 'tags', 'tags.name', 'reviews', 'reviews.stars'],
  ...['year', 'quarter', 'month', 'week', 'day', 'hour'].map((unit) => `at:${unit}`),
  ...['year', 'quarter', 'month', 'week', 'day'].map((unit) => `day:${unit}`),
];

const functions: readonly (readonly [string, readonly string[]])[] = [
  ['countDistinct', ['kind', 'pages', 'shelf', 'at', 'origin.year', 'lent']],
  ['sum', ['pages', 'price', 'serial', 'origin.year']],
  ['avg', ['pages', 'price', 'origin.year']],
  ['min', ['pages', 'price', 'day', 'at', 'kind', 'serial']],
  ['max', ['pages', 'price', 'day', 'at', 'origin.place', 'serial']],
];

const numeric = ['countDistinct', 'sum', 'avg'];

/** Returns a question; `random` returns numbers from 0 to 1. */
export function makeQuestion(random: () => number): Question {
  const below = (end: number): number => Math.floor(random() * end);
  const oneOf = <T>(items: readonly T[]): T => items[below(items.length)] as T; // there are some
  const asked = Array.from({ length: below(4) }, () => oneOf(keys));
  const names = asked.map((key) => key.split(/[:.]/)[0]);
  const own = asked.filter((key, index) => names.indexOf(key.split(/[:.]/)[0]) === index);
  const figures = [...new Map(Array.from({ length: below(4) }, () => figure()).map((one) => [one.join('.'), one])).values()];
  function figure(): readonly [string, string] {
    const [name, attributes] = oneOf(functions);
    return [name, oneOf(attributes)];
  }
  const least = below(4);
  const compared = figures.find(([name]) => numeric.includes(name));
  const sorts = ['count', ...own.map((key) => key.split(':')[0] ?? key), ...figures.map((one) => one.join('.'))];
  return {
    preview: random() < 0.3,
    locale: oneOf(['en', 'fr', 'all'] as const),
    filter: oneOf(filters),
    keys: own,
    functions: figures,
    timezone: oneOf(['UTC', 'Europe/Paris', 'America/St_Johns', '-03:30', 'Asia/Kolkata']),
    having: random() < 0.5 ? null : compared === undefined || random() < 0.5 ? havingCount(least) : havingFigure(compared, least),
    sort: random() < 0.3 ? null : `${oneOf(sorts)}:${oneOf(['asc', 'desc'])}`,
  };
}

const havingCount = (least: number): Question['having'] => ({
  query: `having[count][$gte]=${String(least)}`,
  meets: ({ count }) => count >= least,
});

const havingFigure = ([name, attribute]: readonly [string, string], least: number): Question['having'] => ({
  query: `having[${name}][${attribute}][$gt]=${String(least)}`,
  meets: (row: Row) => Number((row[name] as Record<string, unknown>)[attribute] ?? -1) > least,
});

/** Returns the query string of a question. */
export function spell({ preview, locale, filter, keys: own, functions: figures, timezone, having, sort }: Question): string {
  return [
    filter.query,
    `locale=${locale}`,
    ...(preview ? ['publicationState=preview'] : []),
    'aggregate[count]=*',
    ...figures.map(([name, attribute], index) => `aggregate[${name}][${String(index)}]=${attribute}`),
    ...own.map((key, index) => `groupBy[${String(index)}]=${key}`),
    ...(having === null ? [] : [having.query]),
    ...(sort === null ? [] : [`sort=${sort}`]),
    ...(own.some((key) => key.includes(':')) ? [`timezone=${encodeURIComponent(timezone)}`] : []),
    'pagination[limit]=1000',
  ]
    .filter((part) => part !== '')
    .join('&');
}
