import { expect } from 'chai';
import type { Strapi } from '#index.js';
import { createLog, type Log } from '../support/create-log.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const type = (name: string, attributes: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes,
});

const models: readonly TestModel[] = [
  { uid: 'shared.broken', info: {}, attributes: { id: { type: 'string' } } },
  {
    uid: 'shared.block',
    info: {},
    attributes: { text: { type: 'string' }, lost: { type: 'component', component: 'shared.broken' } },
  },
  type('page', {
    title: { type: 'string' },
    seo: { type: 'component', component: 'shared.broken' },
    author: { type: 'relation', relation: 'oneToOne', target: 'api::nobody.nobody' },
    other: { type: 'relation', relation: 'oneToMany', target: 'api::plain.plain', mappedBy: 'page' },
    block: { type: 'component', component: 'shared.block' },
    blocks: { type: 'component', component: 'shared.block', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shared.block'] },
  }),
  type('plain', { title: { type: 'string' } }),
  {
    uid: 'plugin::users-permissions.user',
    collectionName: 'up_users',
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    attributes: { company: { type: 'component', component: 'shared.broken' } },
  },
];

const refused = 'shared\\.broken is refused \\(attributes\\.id is a reserved name\\)';

interface LeftOutCase {
  readonly what: string;
  readonly method?: string;
  readonly path?: string;
  readonly data: object;
  /** The line of the log; null if there is none. */
  readonly line: RegExp | null;
  /** The path of the error in strict mode; null if it accepts the body. */
  readonly at: readonly string[] | null;
}

const cases: readonly LeftOutCase[] = [
  {
    what: 'a component that is refused',
    data: { seo: {} },
    line: new RegExp(`^seo of api::page\\.page is not written: ${refused}`),
    at: ['seo'],
  },
  {
    what: 'a relation without a target',
    data: { author: 1 },
    line: /^author of api::page\.page is not written: unknown content type/,
    at: ['author'],
  },
  {
    what: 'a relation without its other side',
    data: { other: [1] },
    line: /^other of api::page\.page is not written: .*stays empty/,
    at: ['other'],
  },
  { what: 'null for one', data: { seo: null }, line: /^seo of api::page\.page is not written/, at: ['seo'] },
  {
    what: 'one in a component',
    data: { block: { lost: 1 } },
    line: /^lost of shared\.block is not written: /,
    at: ['block', 'lost'],
  },
  {
    what: 'one in a list',
    data: { blocks: [{ text: 'a' }, { lost: 1 }] },
    line: /^lost of shared\.block /,
    at: ['blocks', '1', 'lost'],
  },
  {
    what: 'one in a zone',
    data: { zone: [{ __component: 'shared.block', lost: 1 }] },
    line: /^lost of shared\.block /,
    at: ['zone', '0', 'lost'],
  },
  {
    what: 'one in an update',
    method: 'PUT',
    path: '/api/pages/1',
    data: { seo: {} },
    line: /^seo of api::page\.page/,
    at: ['seo'],
  },
  { what: 'a name that the model never had', data: { titel: 'x' }, line: null, at: ['titel'] },
  { what: 'such a name in a component', data: { block: { txt: 'x' } }, line: null, at: ['block', 'txt'] },
  { what: 'a name of a prototype', data: { constructor: 'x' }, line: null, at: ['constructor'] },
  { what: 'what clients send back', data: { id: 5, createdAt: 'x', updatedAt: null, block: { id: 3 } }, line: null, at: null },
  { what: 'a type without warnings', path: '/api/plains', data: { title: 'a' }, line: null, at: null },
];

describe('values of attributes that are left out', () => {
  let lenient: Serving;
  let strict: Serving;
  let log: Log;
  const told = (): string[] => log.lines.map(({ msg }) => String(msg)).filter((msg) => msg.includes('is not written'));
  before(async () => {
    log = await createLog();
    lenient = await serveModels({ models, logger: log.logger });
    strict = await serveModels({ models, config: { api: { rest: { strict: true } } } });
    for (const { call } of [lenient, strict]) await call('POST', '/api/pages', { data: { title: 'first' } });
  });
  after(() => Promise.all([lenient.stop(), strict.stop()]));

  for (const { what, method = 'POST', path = '/api/pages', data, line, at } of cases)
    it(what, async () => {
      const before = told();
      for (const round of [1, 2]) expect((await lenient.call(method, path, { data })).status, String(round)).to.equal(200);
      if (line === null) expect(told()).to.deep.equal(before);
      else
        expect(
          told().filter((one) => line.test(one) && one.endsWith('; npx mangrove models validate lists all of them')),
        ).to.have.length(1);
      const { status, body } = await strict.call(method, path, { data });
      if (at === null) expect(status, JSON.stringify(body)).to.equal(200);
      else expect([status, body.error.name, body.error.details.errors[0].path]).to.deep.equal([400, 'ValidationError', at]);
    });
});

/** Writes that do not go through the routes of one entry. */
const ways: Readonly<Record<string, (serving: Serving, strapi: Strapi) => Promise<unknown>>> = {
  'a multipart body': async ({ server }) => {
    const form = new FormData();
    form.set('data', JSON.stringify({ seo: { a: 1 } }));
    return (await fetch(`${server.url}/api/pages`, { method: 'POST', body: form })).status;
  },
  'project code': (_serving, strapi) => strapi.entityService.create('api::page.page', { data: { seo: { a: 1 } } }),
  'a new user': ({ call }) =>
    call('POST', '/api/users', { username: 'ada', email: 'ada@example.com', password: 'Passw0rd', role: 1, company: {} }),
};

describe('a value of an attribute that is left out', () => {
  for (const [what, write] of Object.entries(ways))
    it(`is told in ${what}`, async () => {
      const log = await createLog();
      const held: Strapi[] = [];
      const serving = await serveModels({ models, logger: log.logger, bootstrap: ({ strapi }) => void held.push(strapi) });
      for (const strapi of held) await write(serving, strapi);
      await serving.stop();
      const lines = log.lines.filter(({ msg }) =>
        /^(seo|company) of .* is not written: shared\.broken is refused/.test(String(msg)),
      );
      expect(lines).to.have.length(1);
    });
});
