import type { Attack } from './attack.js';
import { get, graphql, many, send, type Shot } from './send.js';

/** `populate[author][populate][articles]…=*`: levels of the names in turn. */
function nested(names: readonly string[], levels: number): string {
  const keys = Array.from({ length: levels }, (_, level) => `[${names[level % names.length] ?? ''}]`);
  return `populate${keys.join('[populate]')}=*`;
}

const linked = (links: number): string =>
  `${Array.from({ length: links }, (_, link) => (link % 2 === 0 ? 'author' : 'articles')).join('.')}.title`;

const related = (count: number): string =>
  Array.from(
    { length: count },
    (_, n) => `filters[$or][${String(n)}][author][articles][title][$contains]=Article ${String(n)}`,
  ).join('&');

const byAuthor = (count: number): string =>
  Array.from({ length: count }, (_, n) => `filters[$or][${String(n)}][author][name][$contains]=${String(n)}`).join('&');

/** The same as `nested`, with one short field of each entry. */
const nestedNames = (names: readonly string[], levels: number): string =>
  Array.from({ length: levels }, (_, level) => {
    const path = Array.from({ length: level + 1 }, (_, depth) => `[${names[depth % names.length] ?? ''}]`).join('[populate]');
    return `populate${path}[fields][0]=slug`;
  }).join('&');

const manyMatches = (count: number): string =>
  Array.from(
    { length: count },
    (_, n) => `filters[$or][${String(n)}][categories][articles][title][$containsi]=${String.fromCharCode(97 + n)}`,
  ).join('&');

/** The names of the levels stand for a list of articles or the author of one. */
function nestedDocument(levels: number): string {
  const open = Array.from({ length: levels }, (_, level) =>
    level % 2 === 0 ? 'author{data{attributes{name ' : 'articles(pagination:{limit:100}){data{attributes{slug ',
  );
  return ['{articles(pagination:{limit:100}){data{attributes{slug ', ...open, '}}}'.repeat(levels), '}}}}'].join('');
}

const aliases = (count: number): string =>
  `{${Array.from({ length: count }, (_, n) => `a${String(n)}:articles(pagination:{limit:100}){data{id attributes{title body}}}`).join(' ')}}`;

/** Lists of large entries, each with another offset. */
const essays = (count: number): string =>
  `{${Array.from({ length: count }, (_, n) => `e${String(n)}:essays(pagination:{start:${String(100 * n)},limit:100}){data{attributes{text}}}`).join(' ')}}`;

const one = (name: string, shot: Shot, limits: Pick<Attack, 'commands' | 'documents' | 'refusedBy'>): Attack => ({
  name,
  run: async (target) => [await send(target, shot)],
  ...limits,
});

/** A polymorphic relation that leads through itself by fragments of every level: two to the power of the levels in all. */
function spreading(levels: number): string {
  const types = ['Note', 'Author'];
  const below = (level: number): string =>
    level === levels ? '__typename' : types.map((name) => `...${name}${String(level)}`).join(' ');
  const ofNote = (level: number): string => `fragment Note${String(level)} on Note{text about{${below(level + 1)}}}`;
  const ofAuthor = (level: number): string => `fragment Author${String(level)} on Author{name}`;
  const fragments = Array.from({ length: levels }, (_, level) => `${ofNote(level)} ${ofAuthor(level)}`);
  return `{notes{data{attributes{about{${below(0)}}}}}} ${fragments.join(' ')}`;
}

/** A request may read the entries of `api.limits.entriesRead`, and one level more before it is noticed. */
const withinBudget = { commands: 40, documents: 25_000 };

/** A request that is refused before anything is read. */
const unread = { commands: 4, documents: 100 };

/** Small requests that ask for much data. */
export const readAttacks: readonly Attack[] = [
  one('six levels that lead back', get(`/api/articles?${nested(['author', 'articles'], 6)}&pagination[pageSize]=100`), {
    ...withinBudget,
    refusedBy: 'api.limits.answerBytes',
  }),
  one(
    'six levels that lead back, short',
    get(`/api/articles?${nestedNames(['author', 'articles'], 6)}&pagination[pageSize]=100`),
    {
      ...withinBudget,
      refusedBy: 'api.limits.entriesRe',
    },
  ),
  one('one article, six levels', get(`/api/articles/1001?${nestedNames(['author', 'articles'], 6)}`), {
    ...withinBudget,
    refusedBy: 'api.limits.entriesRendered',
  }),
  one('six levels by dots', get('/api/articles?populate=author.articles.author.articles.author.articles'), {
    ...withinBudget,
    refusedBy: 'api.limits.answerBytes',
  }),
  one('nested lists without pages', get('/api/authors?populate=articles&pagination[pageSize]=100'), {
    ...withinBudget,
    refusedBy: 'api.limits.answerBytes',
  }),
  one('all articles of the categories', get('/api/categories?populate[articles][fields][0]=slug'), {
    ...withinBudget,
    refusedBy: 'api.limits.entriesRe',
  }),
  one('polymorphic, ten levels', get(`/api/notes?${nested(['about'], 10)}`), withinBudget),
  one('a sort path of 400 links', get(`/api/articles?sort=${linked(400)}`), { ...unread, refusedBy: 'more than 100 names' }),
  one('a sort path of 1,200 links', get(`/api/articles?sort=${linked(1_200)}`), { ...unread, refusedBy: 'more than 100 names' }),
  one('a sort path of five links', get(`/api/articles?sort=${linked(5)}`), { ...unread, refusedBy: 'api.limits.sortKeyLinks' }),
  one('GraphQL, a sort path of 400 links', graphql(`{articles(sort:"${linked(400)}"){data{id}}}`), {
    ...unread,
    refusedBy: 'more than 100 names',
  }),
  one('GraphQL, a sort path of five links', graphql(`{articles(sort:"${linked(5)}"){data{id}}}`), {
    ...unread,
    refusedBy: 'api.limits.sortKeyLinks',
  }),
  one('GraphQL, polymorphic fragments', graphql(spreading(4)), withinBudget),
  one('GraphQL, polymorphic fragments, thirty levels', graphql(spreading(30)), {
    ...unread,
    refusedBy: 'exceeds maximum operation depth',
  }),
  one('what links to files, ten levels', get(`/api/upload/files?${nested(['related', 'cover'], 10)}`), {
    ...withinBudget,
    refusedBy: 'api.limits.',
  }),
  one('sixty related conditions', get(`/api/articles?${byAuthor(60)}`), { ...unread, refusedBy: 'api.limits.relatedConditions' }),
  one('related conditions with many matches', get(`/api/articles?${manyMatches(10)}`), { commands: 60, documents: 1_000 }),
  {
    name: 'related conditions, forty at once',
    run: many([200, 40], () => get(`/api/articles?${related(6)}`), 40),
    besides: [503],
    commands: 60,
    documents: 2_000,
  },
  one('GraphQL, ten levels that lead back', graphql(nestedDocument(10)), {
    ...unread,
    refusedBy: 'exceeds maximum operation depth',
  }),
  one('GraphQL, levels that lead back', graphql(nestedDocument(2)), withinBudget),
  one('GraphQL, a hundred lists', graphql(aliases(100)), { ...unread, refusedBy: 'fields at its root' }),
  one('GraphQL, twenty lists', graphql(aliases(20)), withinBudget),
  one('GraphQL, twenty lists of large entries', graphql(essays(20)), {
    commands: 60,
    documents: 2_200,
    refusedBy: 'api.limits.answerBytes',
  }),
  {
    name: 'many large pages at once',
    run: many([300, 60], (n) => get(`/api/essays?pagination[start]=${String(n)}&pagination[limit]=1000`), 60),
    besides: [503],
    commands: 25,
    documents: 1_010,
  },
  {
    name: 'GraphQL, forty wide queries at once',
    run: many([120, 20], () => graphql(nestedDocument(2)), 40),
    ...withinBudget,
  },
];
