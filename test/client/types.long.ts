import { expect } from 'chai';
import ts from 'typescript';
import { fullAccess, type Access } from '#model/query/access.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { printTypes } from '#api/openapi/print-types.js';
import { demoModels } from '../support/demo-models.js';
import { thingModels } from '../support/things.js';
import { createProject, type ClientProject } from './client-project.js';

/** What an application may write. */
const right = `
import { attempt, createClient, isFailure, type EntryOf, type Failure } from 'mangrove/client';
import type { ContentTypes } from './types.js';

const client = createClient<ContentTypes>({ url: 'http://localhost:1337' });

type Card = EntryOf<ContentTypes['articles'], { populate: { author: true } }>;
export const label = ({ attributes }: Card): string => attributes.title + (attributes.author.data?.attributes.name ?? '');

export async function read(): Promise<void> {
  const { data, meta } = await client.find('articles', {
    fields: ['title', 'kind'],
    filters: { kind: { $in: ['essay', 'report'], $notContains: 'x' }, $or: [{ title: { $containsi: 'tide' } }, { author: { name: 'Ines' } }], tags: { id: { $in: [1, 2] } } },
    sort: ['author.name', 'readingTime:desc'],
    populate: {
      author: { fields: ['name'], populate: { avatar: true }, filters: { name: { $notNull: true } } },
      comments: { count: true },
      gallery: true,
      seo: { populate: '*' },
      sections: { on: { 'content.quote': true, 'content.rich-text': { fields: 'body' } } },
      cover: false,
    },
    pagination: { pageSize: 10 },
    locale: 'fr',
  });
  const pages: number = meta.pagination.pageCount + meta.pagination.total + meta.pagination.page;
  for (const { id, attributes, meta: own } of data) {
    const title: string = attributes.title + String(id + pages) + (own.availableLocales ?? []).join();
    const kind: 'feature' | 'report' | 'essay' | 'interview' | 'recipe' = attributes.kind;
    const picture: string | undefined = attributes.author.data?.attributes.avatar.data?.attributes.url;
    const count: number = attributes.comments.data.attributes.count;
    const first: string | undefined = attributes.gallery.data?.[0]?.attributes.url;
    const image: string | undefined = attributes.seo?.shareImage.data?.attributes.url;
    for (const part of attributes.sections)
      if (part.__component === 'content.quote') part.text;
      else part.body;
    void [title, kind, picture, count, first, image];
  }
  const counted: number = (await client.count('articles', { filters: { title: 'x' }, publicationState: 'preview' })).data.count;
  const grouped = await client.aggregate('articles', {
    aggregate: { count: '*', avg: 'readingTime', max: ['publishedAt', 'title'] },
    groupBy: ['kind', 'author.name', 'publishedAt:month', 'seo.metaTitle'],
    having: { count: { $gte: 2 } },
    sort: ['count:desc', 'author.name'],
  });
  for (const { group, count: entries, avg, max } of grouped.data) {
    const kind: 'feature' | 'report' | 'essay' | 'interview' | 'recipe' | null = group.kind;
    const author: { id: number; name: string | null } | null = group.author;
    const month: string | null = group.publishedAt;
    const heading: string | null = group['seo.metaTitle'];
    const mean: number | null = avg.readingTime;
    const latest: number | string | null = max.publishedAt;
    void [entries + 1, kind, author, month, heading, mean, latest];
  }
  const faceted = await client.find('articles', { facets: { kind: { self: true }, readingTime: { ranges: [0, 4] }, author: { self: false } } });
  const { kind: kinds, readingTime: times, author: authors } = faceted.meta.facets;
  const facet: [number, 'feature' | 'report' | 'essay' | 'interview' | 'recipe' | null] | null = kinds[0] ? [kinds[0].count, kinds[0].value] : null;
  const range: [number | string, number | string | undefined] | null = times[0] ? [times[0].from, times[0].to] : null;
  const writer: number | undefined = authors[0]?.value?.id;
  const counts = (await client.find('articles', { facets: ['kind', 'author.name', 'publishedAt:month'] })).meta;
  const cut: string[] | undefined = counts.facetsTruncated;
  const byMonth: string | null | undefined = counts.facets.publishedAt[0]?.value;
  const byName: string | null | undefined = counts.facets.author[0]?.value?.name;
  void [facet, range, writer, cut, byMonth, byName, (await client.find('articles', { facets: 'kind' })).meta.facets.kind[0]?.count];
  const all: number | undefined = (await client.aggregate('articles')).data[0]?.count;
  void all;
  const named: string = (await client.by('authors', 'slug', 'ines', { fields: 'name' })).data.attributes.name;
  const { data: written } = await client.batch([{ method: 'POST', path: '/tags', body: { data: { name: 'x' } } }], { transaction: true });
  void [counted, named, written[0]?.status];
  await client.find('articles', { populate: '*', sort: { author: { name: 'asc' } } });
  const deep = await client.find('articles', {
    populate: { author: { populate: { articles: { populate: { tags: { populate: { articles: { populate: { cover: true } } } } } } } } },
  });
  deep.data[0]?.attributes.author.data?.attributes.articles.data[0]?.attributes.tags.data[0]?.attributes.articles.data[0]?.attributes.cover.data?.id;
  const listed = await client.find('articles', { populate: ['author', 'tags'], pagination: { start: 0, limit: 5, withCount: false } });
  const tags: string[] | undefined = listed.data[0]?.attributes.tags.data.map(({ attributes }) => attributes.name);
  const limit: number = listed.meta.pagination.limit;
  const preview = await client.find('articles', { publicationState: 'preview', populate: { author: true } });
  const title: string | null | undefined = preview.data[0]?.attributes.title;
  const headline: string = (await client.findSingle('homepage', { locale: 'fr', populate: { featured: true } })).data.attributes.headline;
  for await (const page of client.pages('articles', { populate: { author: true } })) {
    page.data.map(label);
    const { total, cursors, hasNext } = page.meta.pagination;
    const rest = await client.find('articles', { pagination: { after: cursors.end ?? '', limit: total, withCount: false } });
    if (hasNext) void rest.meta.pagination.cursors.start;
  }
  void [tags, limit, title, headline];
}

export async function write(): Promise<string> {
  const { data } = await client.create('articles', {
    title: 'Salt',
    author: 1,
    tags: { connect: [1, { id: 2, position: { start: true } }] },
    sections: [{ __component: 'content.quote', text: 'Yes' }],
  });
  await client.create('articles', { publishedAt: null });
  await client.update('articles', data.id, { summary: null }, { populate: { author: true } });
  const { id, title, localizations } = await client.localize('articles', data.id, { locale: 'fr', title: 'Sel' });
  await client.delete('articles', id);
  await client.updateSingle('homepage', { headline: 'Tides' });
  const { user } = await client.login('ines', 'Tide-Pool-7');
  const me = await client.me({ populate: { role: true } });
  return title + user.username + (me.role?.name ?? '') + String(localizations.length);
}

export async function fail(): Promise<string> {
  const found = await attempt(client.findOne('articles', 1));
  if (found.ok) return found.value.data.attributes.title;
  return tell(found.error);
}

export function tell(failure: Failure): string {
  switch (failure.kind) {
    case 'invalid':
      return failure.errors.map(({ path, message }) => path.join('.') + message).join();
    case 'unauthorized':
      return failure.reason ?? 'log in';
    case 'conflict':
    case 'limited':
    case 'unavailable':
      return String(failure.retryAfter);
    case 'forbidden':
    case 'notFound':
    case 'changed':
    case 'tooLarge':
    case 'failed':
      return failure.name + String(failure.status);
    case 'unreachable':
    case 'timeout':
    case 'aborted':
      return failure.message;
  }
}

export const known = (error: unknown): string => (isFailure(error) ? tell(error) : '');

const untyped = createClient({ url: 'http://localhost:1337' });
export const any = async (): Promise<unknown> =>
  (await untyped.find('whatever', { populate: '*', filters: { a: { $eq: 1 } }, sort: 'b' })).data[0]?.attributes['c'];
`;

/** Lines that must not compile, each after the beginning of its message. */
const wrong = {
  "Property 'comments' does not exist":
    "(await client.find('articles', { populate: { author: true } })).data[0]?.attributes.comments",
  "Property 'author' does not exist": "(await client.find('articles')).data[0]?.attributes.author",
  "Property 'summary' does not exist": "(await client.find('articles', { fields: ['title'] })).data[0]?.attributes.summary",
  "Property 'email' does not exist":
    "(await client.find('articles', { populate: { author: true } })).data[0]?.attributes.author.data?.attributes.email",
  "Property 'avatar' does not exist":
    "(await client.find('articles', { populate: { author: true } })).data[0]?.attributes.author.data?.attributes.avatar",
  "Property 'total' does not exist": "(await client.find('tags', { pagination: { withCount: false } })).meta.pagination.total",
  'Argument of type \'"unicorns"\'': "client.find('unicorns')",
  'Argument of type \'"homepage"\'': "client.find('homepage')",
  'Argument of type \'"none"\'': "client.by('authors', 'none', 1)",
  'Argument of type \'"articles"\'': "client.findSingle('articles')",
  "Object literal may only specify known properties, but 'titel'": "client.find('articles', { filters: { titel: 'x' } })",
  "Object literal may only specify known properties, but 'nam'": "client.find('articles', { filters: { author: { nam: 'x' } } })",
  "Object literal may only specify known properties, and '$like'":
    "client.find('articles', { filters: { title: { $like: 'x' } } })",
  'Type \'"poem"\' is not assignable to type \'"feature"': "client.find('articles', { filters: { kind: { $eq: 'poem' } } })",
  "Object literal may only specify known properties, and 'wich'": "client.find('articles', { wich: 1 })",
  "Property 'publishedAt:month' does not exist":
    "(await client.aggregate('articles', { groupBy: 'publishedAt:month' })).data[0]?.group['publishedAt:month']",
  "Property 'facets' does not exist": "(await client.find('articles')).meta.facets",
  "Property 'tags' does not exist": "(await client.find('articles', { facets: 'kind' })).meta.facets.tags",
  'Type \'"knd"\' is not assignable': "client.find('articles', { facets: ['knd'] })",
  "Type '{ self: true; }' is not assignable to type 'never'":
    "client.find('articles', { facets: { kind: { self: true }, knd: { self: true } } })",
  "Property 'sum' does not exist": "(await client.aggregate('articles', { groupBy: 'kind' })).data[0]?.sum",
  'Type \'"titel"\' is not assignable': "client.find('articles', { sort: 'titel' })",
  'Type \'"autor"\' is not assignable': "client.find('articles', { populate: 'autor' })",
  "Type 'true' is not assignable to type 'never'": "client.find('articles', { populate: { author: true, autor: true } })",
  "Type '{ author: { populate: { avatr: true; }; }; }'":
    "client.find('articles', { populate: { author: { populate: { avatr: true } } } })",
  'Type \'{ author: { fields: "nam"[]; }; }\'': "client.find('articles', { populate: { author: { fields: ['nam'] } } })",
  "Argument of type '{}'": "client.create('articles', {})",
  "Object literal may only specify known properties, and 'unicorn'": "client.create('articles', { title: 'Salt', unicorn: 1 })",
  "Type 'null' is not assignable to type": "client.update('articles', 1, { title: null })",
  'Type \'"poem"\' is not assignable': "client.update('articles', 1, { kind: 'poem' })",
  "Property 'length' does not exist":
    "(await client.find('articles', { publicationState: 'preview' })).data.map(({ attributes }) => attributes.readingTime?.length)",
  "'attributes.title' is possibly 'null'":
    "(await client.find('articles', { publicationState: 'preview' })).data.map(({ attributes }) => attributes.title.length)",
  "Argument of type '{ title: string; }'": "client.localize('articles', 1, { title: 'Sel' })",
};

const head = `import { createClient } from 'mangrove/client';
import type { ContentTypes } from './types.js';
const client = createClient<ContentTypes>({ url: '' });
`;

/** How a web application passes on values of the browser. */
const web = `
import { createClient } from 'mangrove/client';
import type { ContentTypes } from './types.js';
const client = createClient<ContentTypes>({ url: 'http://localhost:1337', fetch, store: {
  read: () => JSON.parse(localStorage.getItem('session') ?? 'null'),
  write: (session) => localStorage.setItem('session', JSON.stringify(session)),
} });
export async function send(input: HTMLInputElement): Promise<string> {
  const controller = new AbortController();
  const onProgress = ({ loaded, total }: { loaded: number; total: number | null }) => console.log(loaded, total);
  const [file] = await client.upload([...(input.files ?? [])], { signal: controller.signal, onProgress, info: [{ caption: 'x' }] });
  await client.upload([{ uri: 'file:///a.jpg', name: 'a.jpg', type: 'image/jpeg' }, new Blob(['x'])], { signal: AbortSignal.timeout(5) });
  return file?.url ?? '';
}
`;

const typesOf = (models: readonly unknown[], access: Access = fullAccess): string =>
  printTypes(buildRegistry(models as Parameters<typeof buildRegistry>[0]).registry, access);

const { ModuleKind, ModuleResolutionKind } = ts;
const plain = ['lib.es2022.d.ts'];
const browser = [...plain, 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'];

describe('the types of a client', function () {
  let project: ClientProject;
  before(async () => {
    const lines = Object.values(wrong).map((line, index) => `export const a${String(index)} = async () => ${line};`);
    project = await createProject({
      'types.ts': typesOf(demoModels()),
      'things.ts': typesOf(thingModels),
      'right.ts': right,
      'head.ts': head,
      'wrong.ts': head + lines.join('\n'),
      'web.ts': web,
    });
  });
  after(() => project.remove());

  it('suit web applications, and reject unknown names', () => {
    const options = { module: ModuleKind.ES2022, moduleResolution: ModuleResolutionKind.Bundler, lib: browser };
    const messages = project.compile(['right.ts', 'web.ts', 'wrong.ts'], options);
    const expected = Object.keys(wrong).map((message, index) => [`wrong.ts (${String(index + 4)}): `, message] as const);
    expect(messages.filter((message) => !message.startsWith('wrong.ts'))).to.deep.equal([]);
    expect(messages).to.have.length(expected.length);
    for (const [index, [place, message]] of expected.entries()) expect(messages[index]).to.include(place).and.include(message);
  });

  const others: Readonly<Record<string, readonly [files: readonly string[], options: ts.CompilerOptions]>> = {
    node16: [
      ['right.ts', 'things.ts'],
      { module: ModuleKind.Node16, moduleResolution: ModuleResolutionKind.Node16, exactOptionalPropertyTypes: true },
    ],
    'node10, of older bundlers': [['head.ts'], { module: ModuleKind.ES2022, moduleResolution: ModuleResolutionKind.Node10 }],
  };
  for (const [title, [files, options]] of Object.entries(others))
    it(`need no types of browsers or Node: ${title}`, () => {
      expect(project.compile(files, { ...options, lib: plain })).to.deep.equal([]);
    });
});

describe('declarations of content types', () => {
  const grant = (...actions: readonly string[]): Access => ({
    ...fullAccess,
    grants: { kind: 'actions', actions: new Set(actions.map((action) => `api::${action}`)) },
    hidden: new Map([['api::author.author', new Set(['bio'])]]),
  });

  it('show what the reader may do and see', () => {
    const text = typesOf(demoModels(), grant('article.article.find', 'author.author.find', 'homepage.homepage.update'));
    const block = (name: string): string => new RegExp(`^export interface ${name} \\{\n.*?^\\}`, 'ms').exec(text)?.[0] ?? '';
    expect(block('ContentTypes')).to.include('articles: Article;').and.include('homepage: Homepage;').and.not.include('tags');
    expect(block('Article')).to.include('actions: "find";').and.include('author: { one: Author }').and.include('input: never');
    expect(block('Article')).not.to.include('tags');
    expect(block('ArticleFilters')).to.include('author?: number | AuthorFilters').and.not.include('tags');
    expect(block('Author')).to.include('name: string;').and.not.include('bio');
    expect(block('Homepage')).to.include('input: HomepageInput;');
    expect(text)
      .not.to.include('interface ArticleInput')
      .and.not.include('interface Tag ')
      .and.not.include('UsersPermissionsUser');
  });

  it('escape names, texts and reserved words of TypeScript in models', () => {
    const attributes = {
      'with-dash': { type: 'string' },
      kind: { type: 'enumeration', enum: ['it\'s "a"', 'b */'] },
      constructor: { type: 'json', required: true },
    };
    const info = { singularName: 'array', pluralName: 'arrays', displayName: 'A', description: 'Ends */ here\nor there' };
    const odd = { uid: 'api::array.array', kind: 'collectionType', collectionName: 'arrays', info, attributes };
    const text = typesOf([odd]);
    const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true });
    expect(diagnostics.map(({ messageText }) => messageText)).to.deep.equal([]);
    expect(text)
      .to.include('"with-dash": string | null;')
      .and.include(String.raw`kind: "it's \"a\"" | "b */" | null;`);
    expect(text).to.include(String.raw`/** api::array.array: Ends *\/ here or there */`);
  });
});
