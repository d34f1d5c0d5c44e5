import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const type = (name: string, options: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: false, ...options },
  attributes: {
    title: { type: 'string' },
    secret: { type: 'string' },
    code: { type: 'password' },
    seo: { type: 'component', component: 'shared.seo' },
  },
});

const models: readonly TestModel[] = [
  { uid: 'shared.seo', info: { displayName: 'seo' }, attributes: { title: { type: 'string' }, note: { type: 'string' } } },
  type('memo', { history: {} }),
  type('plain', {}),
];

const memo = 'api::memo.memo';
const fields = ['title', 'seo.title'];
const mine = { conditions: ['admin::is-creator'] };

const administrators = {
  editor: [[{ action: 'read', subject: memo, fields }]],
  author: [
    [
      { action: 'create', subject: memo, fields },
      { action: 'read', subject: memo, fields, ...mine },
    ],
  ],
  nobody: [[]],
} as const;

describe('versions of entries in the panel', () => {
  let serving: Serving;
  let send: PanelSender;
  const memos = `/content-manager/collection-types/${memo}`;
  before(async () => {
    serving = await serveModels({ models, config: { admin: { rateLimit: { enabled: false } } } });
    send = await openAdministrators(serving, administrators);
    const { body } = await send('super', 'POST', memos, {
      title: 'first',
      secret: 's',
      code: 'Password1',
      seo: { title: 't', note: 'n' },
    });
    expect(body.id).to.equal(1);
    await send('super', 'PUT', `${memos}/1`, { title: 'second', updatedAt: body.updatedAt });
    await send('super', 'POST', '/content-manager/collection-types/api::plain.plain', { title: 'p' });
  });
  after(() => serving.stop());

  it('are listed for whoever may read the entry', async () => {
    const { status, body } = await send('editor', 'GET', `${memos}/1/history`);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.results.map(({ version, action, by }: Record<string, unknown>) => [version, action, by])).to.deep.equal([
      [2, 'update', { kind: 'administrator', id: 1 }],
      [1, 'create', { kind: 'administrator', id: 1 }],
    ]);
  });

  it('show the fields that the rights allow, and no passwords', async () => {
    const entryFor = async (as: string) => (await send(as, 'GET', `${memos}/1/history/1`)).body.entry;
    const whole = await entryFor('super');
    expect(whole).to.include({ title: 'first', secret: 's' }).and.not.have.any.keys('code');
    const shown = await entryFor('editor');
    expect(shown).to.include({ id: 1, title: 'first' }).and.not.have.any.keys('secret', 'code');
    expect(shown.seo).to.deep.equal({ id: whole.seo.id, title: 't' });
  });

  const refused: readonly (readonly [as: string, path: string, status: number])[] = [
    ['nobody', '/1/history', 403],
    ['nobody', '/1/history/1', 403],
    ['author', '/1/history', 403],
    ['author', '/1/history/1', 403],
    ['editor', '/9/history', 404],
    ['editor', '/1/history/9', 404],
    ['editor', '/1/history/x', 404],
    ['', '/1/history', 401],
  ];
  for (const [as, path, status] of refused)
    it(`${as === '' ? 'without a token' : as}: ${path} is answered with ${String(status)}`, async () => {
      expect((await send(as, 'GET', memos + path)).status).to.equal(status);
    });

  it('are none of a type without the option', async () => {
    expect((await send('super', 'GET', '/content-manager/collection-types/api::plain.plain/1/history')).status).to.equal(404);
  });
});
