import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const type = (name: string, attributes: object, more: object = {}): TestModel =>
  collectionType(name, attributes, { options: { draftAndPublish: true }, ...more });

const localized = { i18n: { localized: true } };
const own = { i18n: { localized: false } };
const link = (target: string, sides: object = {}, relation = 'manyToMany'): object => ({
  type: 'relation',
  relation,
  target,
  ...sides,
});

const models: readonly TestModel[] = [
  { uid: 'shared.link', info: { displayName: 'link' }, attributes: { url: { type: 'string', required: true } } },
  {
    uid: 'shared.part',
    info: { displayName: 'part' },
    attributes: {
      label: { type: 'string' },
      links: { type: 'component', component: 'shared.link', repeatable: true },
      tags: link('api::tag.tag', {}, 'oneToMany'),
    },
  },
  type('tag', {
    name: { type: 'string', required: true, unique: true },
    articles: link('api::article.article', { mappedBy: 'tags' }),
  }),
  type('plain', { name: { type: 'string', required: true } }, { options: {} }),
  type('plan', { name: { type: 'string' } }, { pluginOptions: { schedule: { enabled: true } } }),
  type('article', {
    title: { type: 'string', required: true },
    slug: { type: 'uid', targetField: 'title' },
    big: { type: 'biginteger' },
    day: { type: 'date' },
    parts: { type: 'component', component: 'shared.part', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shared.link', 'shared.part'] },
    tags: link('api::tag.tag', { inversedBy: 'articles' }),
    parent: link('api::article.article', { inversedBy: 'children' }, 'manyToOne'),
    children: link('api::article.article', { mappedBy: 'parent' }, 'oneToMany'),
  }),
  type(
    'page',
    {
      title: { type: 'string', pluginOptions: localized },
      code: { type: 'string', pluginOptions: own },
      parts: { type: 'component', component: 'shared.part', repeatable: true, pluginOptions: own },
    },
    { pluginOptions: localized },
  ),
  type('home', { headline: { type: 'string' } }, { kind: 'singleType', pluginOptions: {} }),
];

const times = { createdAt: new Date(0), updatedAt: new Date(0) };
const locales = ['en', 'fr', 'de'].map((code, index) => ({ _id: index + 1, code, name: code, ...times }));

const at = (name: string): string => `/content-manager/collection-types/api::${name}.${name}`;
const home = '/content-manager/single-types/api::home.home';
const users = '/content-manager/collection-types/plugin::users-permissions.user';
const uid = { contentTypeUID: 'api::article.article', field: 'slug' };

/** A request with its body, and what its answer contains or the messages of its errors by path. `{name}` is the id of a named answer. */
interface Step {
  readonly send: string;
  readonly body?: unknown;
  readonly name?: string;
  readonly status?: number;
  readonly has?: object;
  readonly errors?: Readonly<Record<string, string>>;
}

const draft: Step = { send: `POST ${at('article')}`, body: { title: 'a' }, name: 'a' };

const cases: Readonly<Record<string, readonly Step[]>> = {
  'a new entry is a draft of its administrator': [
    {
      send: `POST ${at('article')}`,
      body: { title: 'a', publishedAt: '2020-01-01T00:00:00.000Z', nope: 1, __temp_key__: 3 },
      has: { publishedAt: null, createdBy: { id: 1, firstname: 'super', lastname: null, username: null }, tags: { count: 0 } },
    },
  ],
  'a draft may lack values, a published entry may not': [
    { send: `POST ${at('article')}`, body: { parts: [{ links: [{}] }] }, name: 'a', has: { title: null } },
    {
      send: `POST ${at('article')}/{a}/actions/publish`,
      status: 400,
      errors: {
        title: 'title must be a `string` type, but the final value was: `null`.',
        'parts.0.links.0.url': 'parts[0].links[0].url must be a `string` type, but the final value was: `null`.',
      },
    },
    { send: `PUT ${at('article')}/{a}`, body: { title: 'a', parts: [] } },
    { send: `POST ${at('article')}/{a}/actions/publish` },
    {
      send: `PUT ${at('article')}/{a}`,
      body: { title: null },
      status: 400,
      errors: { title: 'title must be a `string` type, but the final value was: `null`.' },
    },
    { send: `POST ${at('article')}/{a}/actions/publish`, status: 400, errors: { '': 'already.published' } },
    { send: `POST ${at('article')}/{a}/actions/unpublish`, has: { publishedAt: null } },
    { send: `POST ${at('article')}/{a}/actions/unpublish`, status: 400, errors: { '': 'already.draft' } },
  ],
  'a type without drafts is checked at once, and has no drafts': [
    { send: `POST ${at('plain')}`, body: {}, status: 400, errors: { name: 'name must be defined.' } },
    { send: `POST ${at('plain')}`, body: { name: 'n' }, name: 'a' },
    { send: `POST ${at('plain')}/{a}/actions/publish`, status: 403, errors: { '': 'Forbidden' } },
  ],
  'bodies that are no objects are refused': ['text', 5, [{ title: 'a' }]].map((body) => ({
    send: `POST ${at('article')}`,
    body,
    status: 400,
  })),
  'an unknown date is named': [
    {
      send: `POST ${at('article')}`,
      body: { title: 'a', day: 'no' },
      status: 400,
      errors: { day: 'day: Invalid format, expected yyyy-MM-dd' },
    },
  ],
  'a save sends the whole entry back': [
    { ...draft, body: { title: 'whole', big: '9007199254740001', zone: [{ __component: 'shared.link', url: '/u' }] } },
    { send: `PUT ${at('article')}/{a}`, body: '{a}', has: { title: 'whole', big: '9007199254740001' } },
  ],
  'components keep their ids, and those of others are refused': [
    { ...draft, body: { title: 'a', parts: [{ label: 'p' }] } },
    { send: `POST ${at('article')}`, body: { title: 'b', parts: [{ label: 'q' }] }, name: 'b' },
    {
      send: `PUT ${at('article')}/{b}`,
      body: { parts: [{ id: '{a.parts.0}', label: 'x' }] },
      status: 400,
      errors: { '': 'Some of the provided components in parts are not related to the entity' },
    },
  ],
  'relations are connected at positions': [
    { send: `POST ${at('tag')}`, body: { name: 'one' }, name: 'one' },
    { send: `POST ${at('tag')}`, body: { name: 'two' }, name: 'two' },
    { ...draft, body: { title: 'a', tags: { connect: [{ id: '{one}' }] } } },
    { send: `PUT ${at('article')}/{a}`, body: { tags: { connect: [{ id: '{two}', position: { before: '{one}' } }] } } },
    // the last one first
    {
      send: `GET /content-manager/relations/api::article.article/{a}/tags`,
      has: { results: [{ id: '{one}' }, { id: '{two}' }] },
    },
    { send: `GET ${at('article')}/{a}/actions/countDraftRelations`, has: { data: 2 } },
    {
      send: `PUT ${at('article')}/{a}`,
      body: { tags: { connect: [{ id: '{two}', position: { before: 99 } }] } },
      status: 400,
      errors: {
        tags: 'There was a problem connecting relation with id {two} at position {"before":99}. The relation with id 99 needs to be connected first.',
      },
    },
    {
      send: `PUT ${at('article')}/{a}`,
      body: { tags: [99] },
      status: 400,
      errors: { tags: '1 relation(s) of type api::tag.tag associated with this entity do not exist' },
    },
    {
      send: `POST ${at('article')}`,
      body: { title: 'b', zone: [{ __component: 'shared.part', tags: ['{one}'] }], parts: [{ tags: ['{two}'] }] },
      name: 'b',
    },
    { send: `GET ${at('article')}/{b}/actions/countDraftRelations`, has: { data: 2 } },
    { send: `GET ${at('article')}/actions/countManyEntriesDraftRelations?ids[0]={a}&ids[1]={b}`, has: { data: 4 } },
    { send: `GET /content-manager/relations/shared.part/{b.zone.0}/tags`, has: { results: [{ id: '{one}' }] } },
    { send: `GET /content-manager/relations/shared.part/{b.parts.0}/tags`, has: { results: [{ id: '{two}' }] } },
  ],
  'several entries change together or not at all': [
    draft,
    { send: `POST ${at('article')}`, body: {}, name: 'b' },
    { send: `POST ${at('article')}/actions/bulkPublish`, body: { ids: ['{a}', '{b}'] }, status: 400 },
    { send: `GET ${at('article')}/{a}`, has: { publishedAt: null } },
    { send: `POST ${at('article')}/actions/bulkPublish`, body: { ids: ['{a}', 999] }, status: 404 },
    { send: `GET ${at('article')}/{a}`, has: { publishedAt: null } },
    { send: `POST ${at('article')}/actions/bulkPublish`, body: { ids: ['{a}', '{a}'] }, has: { count: 1 } },
    { send: `POST ${at('article')}/actions/bulkUnpublish`, body: { ids: ['{a}', '{b}'] }, has: { count: 1 } },
    { send: `POST ${at('article')}/actions/bulkDelete`, body: { ids: ['{a}', '{b}', 999] }, has: { count: 2 } },
    { send: `POST ${at('article')}/actions/bulkDelete`, body: {}, status: 400, errors: { ids: 'ids is a required field' } },
    {
      send: `POST ${at('article')}/actions/bulkDelete`,
      body: { ids: Array.from({ length: 1001 }, (_, index) => index + 1) },
      status: 400,
      errors: { ids: 'ids field must have less than or equal to 1000 items' },
    },
  ],
  'a copy has new components, and leaves links that only one entry can have': [
    { ...draft, body: { title: 'a', slug: 'copied', parts: [{ label: 'p', links: [{ url: '/u' }] }] } },
    { send: `POST ${at('article')}`, body: { title: 'child', parent: '{a}' } },
    { send: `POST ${at('article')}/clone/{a}`, body: {}, status: 400, errors: { slug: 'This attribute must be unique' } },
    {
      send: `POST ${at('article')}/clone/{a}`,
      body: { slug: 'copy' },
      has: { title: 'a', slug: 'copy', publishedAt: null, children: { count: 0 } },
    },
    { send: `GET ${at('article')}/{a}`, has: { children: { count: 1 } } },
    { send: `POST ${at('article')}/clone/999`, body: {}, status: 404 },
    {
      send: `POST ${at('article')}/auto-clone/{a}`,
      body: {},
      status: 400,
      has: {
        error: {
          details: {
            prohibitedFields: [
              [['slug'], 'unique'],
              [['children'], 'relation'],
            ],
          },
        },
      },
    },
    { send: `POST ${at('plain')}`, body: { name: 'twice' }, name: 'p' },
    { send: `POST ${at('plain')}/auto-clone/{p}`, has: { name: 'twice' } },
  ],
  'a copy has no times of scheduled publishing': [
    { send: `POST ${at('plan')}`, body: { name: 'a', publishAt: '2990-01-01T00:00:00.000Z' }, name: 's' },
    { send: `POST ${at('plan')}/auto-clone/{s}`, has: { name: 'a', publishAt: null } },
  ],
  'a locale shares values': [
    { send: `POST ${at('page')}`, body: { title: 'en', code: 'c', parts: [{ label: 'p' }] }, name: 'en' },
    {
      send: 'POST /i18n/content-manager/actions/get-non-localized-fields',
      body: { model: 'api::page.page', id: '{en}', locale: 'fr' },
      has: {
        nonLocalizedFields: { code: 'c', parts: [{ label: 'p', links: [], tags: { count: 0 } }] },
        localizations: [{ id: '{en}', locale: 'en', publishedAt: null }],
      },
    },
    {
      send: `POST ${at('page')}?locale=fr&relatedEntityId={en}`,
      body: { title: 'fr', code: null, locale: 'de' },
      name: 'fr',
      has: { code: 'c', locale: 'fr' },
    },
    { send: `PUT ${at('page')}/{fr}?locale=fr`, body: { code: 'd' } },
    { send: `GET ${at('page')}/{en}`, has: { title: 'en', code: 'd' } },
    ...[`locale=fr&relatedEntityId={en}`, 'locale=de&relatedEntityId=999', 'locale=en&relatedEntityId={fr}'].map((query) => ({
      send: `POST ${at('page')}?${query}`,
      body: { title: 'x' },
      status: 400,
      errors: { '': "The related entity doesn't exist or the entity already exists in this locale" },
    })),
    { send: `POST ${at('page')}?locale=xx`, body: { title: 'x' }, status: 400, errors: { '': "This locale doesn't exist" } },
  ],
  'a single type is created, changed and deleted': [
    { send: `GET ${home}`, status: 404 },
    { send: `POST ${home}/actions/publish`, status: 404 },
    { send: `PUT ${home}`, body: { headline: 'h' }, name: 'h', has: { headline: 'h', publishedAt: null } },
    { send: `PUT ${home}`, body: { headline: 'i' }, has: { id: '{h}', headline: 'i' } },
    { send: `POST ${home}/actions/publish`, has: { id: '{h}' } },
    { send: `POST ${home}/actions/publish`, status: 400, errors: { '': 'already.published' } },
    { send: `DELETE ${home}`, has: { id: '{h}' } },
    { send: `DELETE ${home}`, status: 404 },
    { send: `POST ${at('home')}`, body: {}, status: 403 },
  ],
  'a uid is free': [
    { ...draft, body: { title: 'a', slug: 'taken.one' } },
    { send: 'POST /content-manager/uid/generate', body: { ...uid, data: { title: 'Free Title' } }, has: { data: 'free-title' } },
    { send: 'POST /content-manager/uid/generate', body: { ...uid, data: {} }, has: { data: 'article' } },
    {
      send: 'POST /content-manager/uid/check-availability',
      body: { ...uid, value: 'taken.one' },
      has: { isAvailable: false, suggestion: 'taken.one-1' },
    },
    { send: 'POST /content-manager/uid/check-availability', body: { ...uid, value: 'takenXone' }, has: { isAvailable: true } },
    { send: 'POST /content-manager/uid/generate', body: { ...uid, field: 'title', data: {} }, status: 400 },
    { send: 'POST /content-manager/uid/generate', body: { ...uid, contentTypeUID: 'no', data: {} }, status: 400 },
  ],
  'a user has the default role': [
    {
      send: `POST ${users}`,
      body: {
        username: 'user',
        email: 'User@test.test',
        password: 'Password1',
        role: { connect: [], disconnect: [] },
        provider: 'x',
      },
      name: 'u',
      has: {
        email: 'user@test.test',
        role: { count: 1 },
        createdBy: { id: 1, firstname: 'super', lastname: null, username: null },
      },
    },
    { send: 'POST /api/auth/local', body: { identifier: 'user', password: 'Password1' } },
    {
      send: `PUT ${users}/{u}`,
      body: { password: 'Password2', role: { connect: [], disconnect: [] } },
      has: { role: { count: 1 } },
    },
    { send: 'POST /api/auth/local', body: { identifier: 'user', password: 'Password1' }, status: 400 },
    { send: 'POST /api/auth/local', body: { identifier: 'user', password: 'Password2' } },
    { send: `DELETE ${users}/{u}`, has: { username: 'user' } },
  ],
};

for (const strict of [false, true])
  describe(`entries in the admin panel${strict ? ' in strict mode' : ''}`, () => {
    let serving: Serving;
    let send: PanelSender;
    before(async () => {
      const config = { admin: { rateLimit: { enabled: false } }, api: { rest: { strict } } };
      serving = await serveModels({ models, documents: { i18n_locales: locales }, config });
      send = await openAdministrators(serving, {});
    });
    after(() => serving.stop());

    for (const [title, steps] of Object.entries(cases))
      it(title, async () => {
        const named: Record<string, unknown> = {};
        for (const step of steps) {
          const [method = '', path = ''] = step.send.split(' ');
          const answer = await send(
            path.startsWith('/api') ? '' : 'super',
            method,
            String(fill(path, named, true)),
            fill(step.body, named),
          );
          const shown = `${step.send}: ${JSON.stringify(answer.body)}`;
          expect(answer.status, shown).to.equal(step.status ?? 200);
          if (step.has !== undefined) expectPart(answer.body, fill(step.has, named), shown);
          if (step.errors !== undefined) expect(messagesIn(answer.body), shown).to.deep.equal(fill(step.errors, named));
          if (step.name !== undefined) named[step.name] = answer.body;
        }
      });
  });

/** Replaces `{name}` by the id of a named answer, `{name.parts.0}` by that of a part of it, and a whole body `{name}` by the answer. */
function fill(value: unknown, named: Readonly<Record<string, unknown>>, isPath = false): unknown {
  if (typeof value === 'string') {
    const whole = /^\{([\w.]+)\}$/.exec(value)?.[1];
    if (whole !== undefined && !isPath && named[whole] !== undefined) return named[whole];
    return value.replace(/\{([a-z][\w.]*)\}/g, (_, path: string) => String(idAt(path, named)));
  }
  if (Array.isArray(value)) return value.map((item) => fillInner(item, named));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillInner(inner, named)]));
}

function fillInner(value: unknown, named: Readonly<Record<string, unknown>>): unknown {
  if (typeof value !== 'string') return fill(value, named);
  const path = /^\{([a-z][\w.]*)\}$/.exec(value)?.[1];
  return path === undefined ? fill(value, named, true) : idAt(path, named);
}

const idAt = (path: string, named: Readonly<Record<string, unknown>>): unknown =>
  (path.split('.').reduce<unknown>((at, name) => Object(at)[name], named) as { readonly id: unknown }).id;

/** Expects the values of an object; of objects in a list, those that are given. */
function expectPart(actual: unknown, expected: unknown, message: string): void {
  if (typeof expected !== 'object' || expected === null) return void expect(actual, message).to.equal(expected);
  if (Array.isArray(expected)) expect(actual, message).to.have.length(expected.length);
  for (const [name, value] of Object.entries(expected)) expectPart(Object(actual)[name], value, message);
}

/** Returns the messages of an error by the path of their field; the only message by an empty path. */
function messagesIn({ error }: { readonly error: { readonly message: string; readonly details: object } }): object {
  const { errors } = error.details as {
    readonly errors?: readonly { readonly path: readonly string[]; readonly message: string }[];
  };
  return errors === undefined
    ? { '': error.message }
    : Object.fromEntries(errors.map(({ path, message }) => [path.join('.'), message]));
}
