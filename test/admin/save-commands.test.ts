import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { collectionType } from '../support/collection-type.js';
import { commandsDuring } from '../support/explain.js';
import { serveProject } from '../support/serve-project.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const drafts = { options: { draftAndPublish: true } };
const localized = { i18n: { localized: true } };
const shared = { i18n: { localized: false } };
const link = (target: string, relation: string, sides: object = {}): object => ({ type: 'relation', relation, target, ...sides });

const models: readonly TestModel[] = [
  {
    uid: 'shared.part',
    info: { displayName: 'part' },
    attributes: { label: { type: 'string' }, tag: link('api::tag.tag', 'oneToOne') },
  },
  collectionType('tag', { name: { type: 'string' }, articles: link('api::article.article', 'manyToMany', { mappedBy: 'tags' }) }),
  collectionType('plain', { title: { type: 'string' } }),
  collectionType('article', {
    title: { type: 'string' },
    tags: link('api::tag.tag', 'manyToMany', { inversedBy: 'articles' }),
    parent: link('api::article.article', 'manyToOne', { inversedBy: 'children' }),
    children: link('api::article.article', 'oneToMany', { mappedBy: 'parent' }),
  }),
  collectionType('block', {
    title: { type: 'string' },
    parts: { type: 'component', component: 'shared.part', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shared.part'] },
  }),
  collectionType(
    'page',
    {
      title: { type: 'string', pluginOptions: localized },
      code: { type: 'string', pluginOptions: shared },
      parts: { type: 'component', component: 'shared.part', repeatable: true, pluginOptions: shared },
      own: { type: 'component', component: 'shared.part', pluginOptions: localized },
    },
    { pluginOptions: localized },
  ),
  collectionType('story', { title: { type: 'string', required: true }, tag: link('api::tag.tag', 'oneToOne') }, drafts),
];
const times = { createdAt: new Date(0), updatedAt: new Date(0) };
const i18n_locales = ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, ...times }));

const names = ['plain', 'article', 'block', 'page', 'story', 'tag'] as const;
type Name = (typeof names)[number];
const actions = ['read', 'create', 'update', 'delete', 'publish'] as const;
const fields: Readonly<Record<Name, readonly string[]>> = {
  plain: ['title'],
  article: ['title', 'tags', 'parent', 'children'],
  block: ['title', 'parts', 'zone'],
  page: ['title', 'code', 'parts', 'own'],
  story: ['title', 'tag'],
  tag: ['name', 'articles'],
};
const permissionsUnder = (...conditions: string[]) =>
  names.flatMap((name) =>
    actions
      .filter((action) => action !== 'publish' || name === 'story')
      .map((action) => {
        const isWhole = action === 'delete' || action === 'publish';
        return { action, subject: `api::${name}.${name}`, conditions, ...(!isWhole && { fields: fields[name] }) };
      }),
  );
const administrators = { editor: [permissionsUnder()], author: [permissionsUnder('admin::is-creator')] };

/** A save, and the commands that it sends; more of them for an author, who may only see own entries. */
interface Save {
  readonly name: string;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** What follows the path of the entry, or of its type for a new one. */
  readonly path?: string;
  /** The values that the form has changed. */
  readonly values?: object;
  readonly commands: string;
  readonly author?: string;
  /** Why it sends more commands than others. */
  readonly more?: string;
  /** What its answer contains of the other locales. */
  readonly others?: readonly object[];
}

const create = (commands: string, author: string): Save => ({ name: 'create', method: 'POST', commands, author });
const remove = (commands: string): Save => ({ name: 'delete', method: 'DELETE', commands });
const change = (values: object, commands: string, rest: Partial<Save> = {}): Save => {
  const name = `change ${Object.keys(values).join(' and ')}`;
  return { name, method: 'PUT', values, commands, ...rest };
};
const set = (action: string, commands: string): Save => ({ name: action, method: 'POST', path: `/actions/${action}`, commands });

/** The values of a new entry of a type, and its saves in order. `TAG` and `FIRST` are ids of entries that are there. */
const cases: Readonly<Record<Exclude<Name, 'tag'>, { readonly values: object; readonly saves: readonly Save[] }>> = {
  plain: {
    values: { title: 'a' },
    saves: [
      create('insert aggregate', 'insert aggregate aggregate'),
      change({ title: 'b' }, 'findAndModify aggregate'),
      remove('aggregate find findAndModify'),
    ],
  },
  block: {
    values: {
      title: 'a',
      parts: [{ label: 'a', tag: 'TAG' }, { label: 'b' }],
      zone: [{ __component: 'shared.part', label: 'z' }],
    },
    saves: [
      create('aggregate insert aggregate', 'aggregate insert aggregate aggregate'),
      change({ title: 'b' }, 'find findAndModify aggregate'),
      change({ parts: [{ label: 'c' }] }, 'find findAndModify aggregate'),
      remove('aggregate find findAndModify'),
    ],
  },
  page: {
    values: { title: 'a', code: 'x', parts: [{ label: 'a' }, { label: 'b' }], own: { label: 'o' } },
    saves: [
      create('insert aggregate', 'insert aggregate aggregate'),
      {
        name: 'create another locale',
        method: 'POST',
        path: '?locale=fr&relatedEntityId=ID',
        values: { title: 'fr' },
        commands: 'find aggregate find find insert update aggregate',
        author: 'find aggregate find find insert aggregate update aggregate',
        more: 'shared values are read from the entry and compared, and the other locales are marked as changed',
      },
      change({ title: 'b' }, 'find findAndModify find aggregate', {
        author: 'aggregate find findAndModify find aggregate',
      }),
      change({ code: 'y' }, 'find findAndModify find update aggregate', {
        author: 'aggregate find find findAndModify find update aggregate',
        others: [{ title: 'fr', code: 'x' }], // as they were before
        more: 'the shared value is written to the other locales, none of which may be hidden from an author',
      }),
      remove('aggregate find findAndModify'),
    ],
  },
  story: {
    values: { title: 'a', tag: 'TAG' },
    saves: [
      create('aggregate insert aggregate', 'aggregate insert aggregate aggregate'),
      change({ title: 'b' }, 'find findAndModify aggregate'),
      set('publish', 'find find findAndModify aggregate'),
      change({ title: 'c' }, 'find findAndModify aggregate'),
      set('unpublish', 'find findAndModify findAndModify aggregate'),
      remove('aggregate find findAndModify'),
    ],
  },
  article: {
    values: { title: 'a', tags: { connect: [{ id: 'TAG' }] } },
    saves: [
      create('aggregate insert aggregate', 'aggregate insert aggregate aggregate'),
      change({ title: 'b' }, 'find findAndModify aggregate'),
      change({ parent: { connect: [{ id: 'FIRST' }] } }, 'aggregate find findAndModify aggregate'),
      change({ children: { connect: [{ id: 'FIRST' }] } }, 'aggregate find findAndModify find update aggregate', {
        more: 'the links are stored with the other entries, which are read and written',
      }),
      remove('aggregate find findAndModify update'),
    ],
  },
};

/** Names of commands that are counted. Those that begin, commit and abort a transaction, or reserve ids, are not. */
const counted = ['find', 'aggregate', 'count', 'insert', 'update', 'delete', 'findAndModify', 'bulkWrite'];

const subjectOf = (name: Name): string => `api::${name}.${name}`;
const at = (name: Name): string => `/content-manager/collection-types/${subjectOf(name)}`;
const untouched = { connect: [], disconnect: [] };
const unlinked = { tags: untouched, parent: untouched, children: untouched };

describe('the commands of a save in the panel', () => {
  let serving: Serving;
  let send: PanelSender;
  /** The requests that were sent. What one of them does later is not counted for another one. */
  const requests = new Set<unknown>();

  before(async () => {
    serving = await serveModels({ models, documents: { i18n_locales }, config: { plugins: { i18n: { enabled: true } } } });
    send = await openAdministrators(serving, administrators);
  });
  after(() => serving.stop());

  async function saved(as: string, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await send(as, method, path, body);
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.equal(200);
    return answer.body as Record<string, unknown>;
  }

  async function commandsOf(work: () => Promise<Record<string, unknown>>) {
    await serving.settled();
    const { result, commands } = await commandsDuring(serving.server.backend?.store.database.client, counted, work);
    const own = commands.filter(({ comment }) => !requests.has(comment));
    for (const { comment } of own) requests.add(comment);
    const sent = own.flatMap((command) => Object.entries(command).slice(0, 1));
    return { result, sent: sent.flatMap(([name, collection]) => (collection === '_counters' ? [] : [name])) };
  }

  for (const as of ['super', 'editor', 'author'] as const)
    for (const [name, { values, saves }] of Object.entries(cases) as [Exclude<Name, 'tag'>, (typeof cases)['plain']][])
      it(`of ${name} as ${as}`, async () => {
        const ids = { TAG: (await saved(as, 'POST', at('tag'), { name: 't' }))['id'] };
        const fill = (body: object, known: object): object =>
          JSON.parse(
            Object.entries(known).reduce((text, [key, id]) => text.replaceAll(`"${key}"`, String(id)), JSON.stringify(body)),
          );
        const all = { ...ids, FIRST: (await saved(as, 'POST', at(name), fill(values, ids)))['id'] };
        let entry: Record<string, unknown> = {};
        for (const { name: save, method, path = '', values: changed = {}, commands, author, more, others } of saves) {
          const isNew = entry['id'] === undefined || path.startsWith('?');
          const body = fill(
            { ...(isNew ? { ...values, ...entry } : entry), ...(name === 'article' && !isNew && unlinked), ...changed },
            all,
          );
          const target = `${at(name)}${isNew ? '' : `/${String(entry['id'])}`}${path.replace('ID', String(entry['id']))}`;
          const { result, sent } = await commandsOf(() => saved(as, method, target, method === 'DELETE' ? undefined : body));
          expect(sent.join(' '), save).to.equal(as === 'author' ? (author ?? commands) : commands);
          for (const [index, one] of (others ?? []).entries())
            expect((result['localizations'] as object[])[index], save).to.include(one);
          if (more === undefined) expect(sent.length, save).to.be.at.most(as === 'super' ? 4 : 5);
          entry = path.startsWith('?') ? await saved(as, 'GET', `${at(name)}/${String(entry['id'])}`) : result;
        }
      });
});

describe('code around reads that hides an entry', () => {
  it('keeps it from being deleted and published in the panel', async () => {
    const serving = await serveProject({}, { models: [collectionType('story', { title: { type: 'string' } }, drafts)] });
    const send = await openAdministrators(serving, {
      editor: [permissionsUnder().filter(({ subject }) => subject === subjectOf('story'))],
    });
    const { id } = (await send('super', 'POST', at('story'), { title: 'a' })).body;
    const path = `${at('story')}/${String(id)}`;
    const hide = ({ params }: { params: { where: object } }): unknown => Object.assign(params.where, { title: 'none' });
    serving.strapi.db.lifecycles.subscribe({ models: [subjectOf('story')], beforeFindOne: hide });
    for (const as of ['super', 'editor'])
      for (const [method, target] of [
        ['DELETE', path],
        ['POST', `${at('story')}/actions/bulkDelete`],
        ['POST', `${path}/actions/publish`],
      ] as const)
        await send(as, method, target, method === 'POST' ? { ids: [id] } : undefined);
    await send('editor', 'PUT', path, { title: 'b' });
    const stored = await serving.database.db.collection<{ _id: number }>('storys').findOne({ _id: Number(id) });
    await serving.stop();
    expect(stored).to.include({ title: 'a', publishedAt: null });
  });
});
