import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../../support/administrators.js';
import { collectionType } from '../../support/collection-type.js';
import { type Answer, serveModels, type Serving } from '../../support/serve.js';

const uid = 'api::page.page';
const model = collectionType(
  'page',
  { title: { type: 'string' }, slug: { type: 'string', unique: true } },
  {
    options: { draftAndPublish: true, drafts: 'beside' },
    pluginOptions: { schedule: { enabled: true }, sync: { enabled: true } },
  },
);
const preview = 'publicationState=preview';
const past = '2020-01-01T00:00:00.000Z';
const key = '0123456789abcdef0123456789abcdef';

type Sent = Pick<Serving, 'call'> & { readonly send: PanelSender; readonly id: number };

const path = (id: number, query = ''): string => `/api/pages/${String(id)}${query}`;
const listed = `/content-manager/collection-types/${uid}`;
const published = () => ({ publishedAt: new Date().toISOString() });

const batch = (call: Serving['call'], requests: readonly object[]): Promise<Answer> =>
  call('POST', '/api/batch', { transaction: true, requests });

/** Makes a release of drafts, and publishes it. */
async function releaseOf(send: PanelSender, ids: readonly number[]): Promise<Answer> {
  const actions = ids.map((id) => ({ action: 'publish', uid, id }));
  const { body } = await send('super', 'POST', '/admin/api/releases', { name: 'Together', actions });
  return send('super', 'POST', `/admin/api/releases/${String(body.data.id)}/publish`);
}

/** The ways to publish a draft in a transaction, with what tells the error. */
const ways: Readonly<Record<string, (sent: Sent) => Promise<Answer>>> = {
  'the panel': ({ send, id }) => send('super', 'POST', `${listed}/${String(id)}/actions/publish`),
  'the panel, of several entries': ({ send, id }) => send('super', 'POST', `${listed}/actions/bulkPublish`, { ids: [id] }),
  REST: ({ call, id }) => call('PUT', path(id), { data: published() }),
  'a batch': ({ call, id }) => batch(call, [{ method: 'PUT', path: `/pages/${String(id)}`, body: { data: published() } }]),
  'a batch that has saved the draft': ({ call, id }) =>
    batch(call, [
      { method: 'PUT', path: `/pages/${String(id)}?status=draft`, body: { data: { title: 'Saved', slug: 'taken' } } },
      { method: 'PUT', path: `/pages/${String(id)}`, body: { data: published() } },
    ]),
  'a release': ({ send, id }) => releaseOf(send, [id]),
};

describe('a unique value of a draft beside the published entry that another entry has', () => {
  let serving: Serving;
  let call: Serving['call'];
  let send: PanelSender;

  before(async () => {
    const config = { admin: { rateLimit: { enabled: false } } };
    serving = await serveModels({ models: [model], config });
    ({ call } = serving);
    send = await openAdministrators(serving, {});
    await make({ slug: 'taken' });
  });
  after(() => serving.stop());

  const make = async (data: object): Promise<number> => {
    const { status, body } = await call('POST', '/api/pages', { data });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data.id as number;
  };
  const makeWithDraft = async (slug: string, draft: object): Promise<number> => {
    const id = await make({ slug });
    expect((await call('PUT', path(id, '?status=draft'), { data: draft })).status).to.equal(200);
    return id;
  };
  const shown = async (id: number, query = '') => (await call('GET', path(id, query))).body.data.attributes as Answer['body'];
  const until = async (isMet: () => Promise<boolean>): Promise<void> => {
    while (!(await isMet())) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  for (const [name, publish] of Object.entries(ways))
    it(`is a 400 that names it, and changes nothing: ${name}`, async () => {
      const slug = `own ${name}`;
      const id = await makeWithDraft(slug, { slug: 'taken' });
      const { status, body } = await publish({ call, send, id });
      expect(status, JSON.stringify(body)).to.equal(400);
      expect(JSON.stringify(body.error.details.errors)).to.contain('"slug"');
      expect((await shown(id))['slug']).to.equal(slug);
      expect((await shown(id, `?${preview}`))['slug']).to.equal('taken');
    });

  it('is a 400 over GraphQL', async () => {
    const id = await makeWithDraft('by graphql', { slug: 'taken' });
    const query = `mutation { updatePage(id: ${String(id)}, data: { publishedAt: "${published().publishedAt}" }) { data { id } } }`;
    const { errors } = (await call('POST', '/graphql', { query })).body;
    expect(errors[0].extensions.error.details.errors[0].path).to.eql(['slug']);
  });

  it('refuses a write of a push, and no other one', async () => {
    const [id, other] = [await makeWithDraft('pushed', { slug: 'taken' }), await make({ slug: 'other' })];
    const write = (to: number, set: object, n: string) => ({ key: key.slice(1) + n, op: 'update', type: 'pages', id: to, set });
    const writes = [
      write(id, { publishedAt: { to: published().publishedAt } }, 'a'),
      write(other, { title: { to: 'pushed' } }, 'b'),
    ];
    const { status, body } = await call('POST', '/api/sync/push', { writes });
    expect(status, JSON.stringify(body)).to.equal(200);
    const [refused, applied] = body.data;
    expect([refused.status, refused.error?.status, applied.status], JSON.stringify(body)).to.eql(['refused', 400, 'applied']);
    expect(refused.error.details.errors[0].path).to.eql(['slug']);
  });

  it('is a 400 in a release whose drafts have the same one', async () => {
    const ids = [await makeWithDraft('one', { slug: 'both' }), await makeWithDraft('two', { slug: 'both' })];
    const { status, body } = await releaseOf(send, ids);
    expect(status, JSON.stringify(body)).to.equal(400);
    const paths = body.error.details.errors.map(({ path: at }: { path: string[] }) => at.join('.'));
    expect(paths).to.eql(['actions.0.slug', 'actions.1.slug']);
    expect([(await shown(Number(ids[0])))['slug'], (await shown(Number(ids[1])))['slug']]).to.eql(['one', 'two']);
  });

  it('leaves a release whose time has come open, with its reasons', async () => {
    const ids = [await makeWithDraft('three', { slug: 'third' }), await makeWithDraft('four', { slug: 'third' })];
    const actions = ids.map((id) => ({ action: 'publish', uid, id }));
    const made = await send('super', 'POST', '/admin/api/releases', { name: 'Due', at: past, actions });
    const read = async () => (await send('super', 'GET', `/admin/api/releases/${String(made.body.data.id)}`)).body.data;
    await until(async () => (await read()).failure !== null);
    expect((await read()).failure.problems[0].path).to.eql(['actions', '0', 'slug']);
    expect((await read()).state).to.equal('open');
  });

  it('keeps no other entry from being published at its time', async () => {
    const id = await makeWithDraft('scheduled', { slug: 'taken', publishAt: past });
    const later = await make({ slug: 'later', publishedAt: null, publishAt: '2020-01-02T00:00:00.000Z' });
    await until(async () => (await shown(later))['publishedAt'] !== null);
    expect((await shown(id))['slug']).to.equal('scheduled');
  });
});
