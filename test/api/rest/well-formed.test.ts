import { expect } from 'chai';
import { accountModels, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const half = '\ud800x';
const label = { uid: 'my.label', info: { displayName: 'Label' }, attributes: { text: { type: 'string' } } };
const page = {
  uid: 'api::page.page',
  kind: 'collectionType',
  collectionName: 'pages',
  info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
  attributes: {
    title: { type: 'string' },
    meta: { type: 'json' },
    labels: { type: 'component', component: 'my.label', repeatable: true },
  },
};

type Refused = readonly [path: string, body: object, place: readonly string[]];

const mutation = 'mutation ($data: PageInput!) { createPage(data: $data) { data { id } } }';
const list = 'query ($title: String) { pages(filters: { title: { eq: $title } }) { data { id } } }';

const refused: readonly Refused[] = [
  ['/api/pages', { data: { title: half } }, ['title']],
  ['/api/pages', { data: { title: 'x\udc00' } }, ['title']],
  ['/api/pages', { data: { title: '\udc00\ud800' } }, ['title']],
  ['/api/pages', { data: { meta: { a: [1, { b: half }] } } }, ['meta', 'a', '1', 'b']],
  ['/api/pages', { data: { meta: { [half]: 1 } } }, ['meta', '\ufffdx']],
  ['/api/pages', { data: { labels: [{ text: 'a' }, { text: half }] } }, ['labels', '1', 'text']],
  ['/api/pages', { data: { unknown: half } }, ['unknown']],
  ['/api/users', { username: half, email: 'a@b.cd', password: 'abcdef', role: 1 }, ['username']],
  ['/api/auth/local/register', { username: half, email: 'a@b.cd', password: 'abcdef' }, ['username']],
  ['/api/auth/local', { identifier: 'a', password: half }, ['password']],
  ['/admin/models/api::page.page', { ...page, info: { ...page.info, displayName: half } }, ['info', 'displayName']],
  ['/graphql', { query: mutation, variables: { data: { title: half } } }, ['variables', 'data', 'title']],
  ['/graphql', { query: list, variables: { title: half } }, ['variables', 'title']],
  ['/graphql', { query: `{ pages(filters: { title: { eq: "${half}" } }) { data { id } } }` }, ['query']],
];

const accepted: readonly object[] = [
  { title: '\ud83d\ude00' },
  { meta: { '\ud83d\ude00': ['\ud83d\ude00'] } },
  { title: '\ufffd' },
];

describe('half of a surrogate pair', () => {
  let serving: ServingAccounts;
  before(async () => {
    serving = await serveAccounts({ models: [...accountModels, label, page], config: { api: { open: true } } });
  });
  after(() => serving.stop());

  for (const [path, body, place] of refused)
    it(`is refused by ${path}: ${JSON.stringify(body).slice(0, 120)}`, async () => {
      const isAdmin = path.startsWith('/admin');
      const answer = isAdmin
        ? await serving.admin('PUT', path.slice('/admin'.length), body)
        : await serving.call('POST', path, body);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(400);
      const message = `${place.join('.')} must not hold half of a surrogate pair`;
      expect(answer.body.error.message).to.equal(message);
      expect(answer.body.error.details.errors).to.deep.equal([{ path: place, message, name: 'ValidationError' }]);
    });

  it('is refused as an escape in a query of GraphQL', async () => {
    const query = String.raw`{ pages(filters: { title: { eq: "\ud800x" } }) { data { id } } }`;
    const { status, body } = await serving.call('POST', '/graphql', { query });
    expect([status, body.errors?.[0].message]).to.deep.equal([400, 'Syntax Error: Invalid Unicode escape sequence: "\\ud800".']);
  });

  it('is refused in a form', async () => {
    const form = new FormData();
    form.set('data', '{"title":"\\ud800x"}');
    const response = await fetch(`${serving.server.url}/api/pages`, { method: 'POST', body: form });
    const { error } = (await response.json()) as { error: { message: string } };
    expect([response.status, error.message]).to.deep.equal([400, 'title must not hold half of a surrogate pair']);
  });

  it('is refused in the information about a file', async () => {
    const form = new FormData();
    form.set('fileInfo', '{"caption":"\\ud800x"}');
    form.set('files', new Blob(['text']), 'a.txt');
    const response = await fetch(`${serving.server.url}/api/upload`, { method: 'POST', body: form });
    const { error } = (await response.json()) as { error: { message: string } };
    expect([response.status, error.message]).to.deep.equal([400, 'caption must not hold half of a surrogate pair']);
  });

  for (const data of accepted)
    it(`but whole pairs are stored: ${JSON.stringify(data)}`, async () => {
      const { body } = await serving.call('POST', '/api/pages', { data });
      const read = await serving.call('GET', `/api/pages/${String(body.data.id)}`);
      expect(read.body.data.attributes).to.deep.include(data);
    });
});
