import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Serving } from '../support/serve.js';

const memo = {
  uid: 'api::memo.memo',
  kind: 'collectionType',
  collectionName: 'memos',
  info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
  options: { draftAndPublish: true },
  attributes: {
    title: { type: 'string' },
    views: { type: 'integer' },
    other: { type: 'relation', relation: 'manyToOne', target: 'api::memo.memo' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'api::memo.memo' },
    cover: { type: 'media', multiple: false },
  },
};
const memos = '/content-manager/collection-types/api::memo.memo';

/** A request as the pages of the panel send it. `{name}` is the id of an answer of that name. */
interface Sent {
  readonly row: string;
  readonly body?: unknown;
  readonly name?: string;
  readonly status?: number;
}

/** The forms that pages of the panel send: ids as texts, lists as operands, whole documents. */
const requests: readonly Sent[] = [
  { row: 'POST /admin/roles', body: { name: 'Clerk', description: '' }, name: 'role', status: 201 },
  {
    row: 'POST /admin/users',
    body: { firstname: 'Ann', lastname: '', email: 'ann@mail.test', roles: ['{role}'] },
    name: 'user',
    status: 201,
  },
  { row: 'PUT /admin/users/{user}', body: { firstname: 'Anna', roles: ['{role}'], isActive: false, username: null } },
  { row: 'PUT /admin/users/{user}', body: { roles: ['0'] }, status: 400 },
  { row: 'PUT /admin/users/{user}', body: { roles: ['x'] }, status: 400 },
  { row: 'PUT /admin/users/{user}', body: { roles: [['{role}']] }, status: 400 },
  { row: 'PUT /admin/users/{user}', body: { roles: [{ id: '{role}' }] }, status: 400 },
  { row: 'GET /admin/users?pageSize=10&page=1&sort=firstname:ASC&_q=&filters[$and][0][email][$contains]=ann' },
  { row: 'GET /admin/users?filters[$and][0][isActive][$eq]=false&filters[$and][1][firstname][$containsi][0]=an' },
  { row: 'POST /admin/users/batch-delete', body: { ids: ['{user}'] } },
  { row: 'POST /admin/roles/batch-delete', body: { ids: ['{role}'] } },
  { row: `POST ${memos}`, body: { title: 'one', views: '7', tags: { connect: [], disconnect: [] } }, name: 'one' },
  { row: `POST ${memos}`, body: { title: 'two', other: { connect: [{ id: '{one}' }], disconnect: [] } }, name: 'two' },
  { row: `PUT ${memos}/{two}`, body: { tags: { connect: [{ id: '{one}', position: { end: true } }] }, other: ['{one}'] } },
  { row: `GET ${memos}?page=1&pageSize=10&sort=title:ASC&filters[$and][0][title][$contains][0]=on` },
  { row: `GET ${memos}?filters[$and][0][views][$gt][0]=1&filters[$and][1][id][$in][]={one}` },
  { row: `GET ${memos}?filters[$and][0][createdBy][id][$eq]=1&filters[$and][1][other][title][$eq][0]=one` },
  { row: `GET ${memos}?filters[$and][0][title][$null]=true&sort=other.title:ASC&_q=%25` },
  { row: `GET ${memos}/actions/countManyEntriesDraftRelations?ids[0]={one}&ids[1]={two}` },
  { row: `GET /content-manager/relations/api::memo.memo/tags?pageSize=10&_q=&idsToOmit[]={one}&page=1&entityId={two}` },
  { row: 'GET /content-manager/relations/api::memo.memo/{two}/tags?pageSize=5&page=1' },
  { row: `POST ${memos}/actions/bulkPublish`, body: { ids: ['{one}', '{two}'] } },
  { row: `POST ${memos}/actions/bulkDelete`, body: { ids: ['{one}'] } },
  { row: 'GET /upload/files?page=1&pageSize=10&sort=createdAt:DESC&filters[$and][0][folder][id][$null]=true' },
  { row: 'GET /upload/files?filters[$and][0][mime][$contains][0]=image&filters[$and][0][mime][$contains][1]=video' },
  { row: 'GET /upload/files?filters[$and][0][mime][$not][$contains][0]=image&filters[$and][0][mime][$not][$contains][1]=video' },
  {
    row: 'GET /upload/files?filters[$and][0][mime][$not][$contains]=image&filters[$and][1][createdAt][$gt]=2026-01-01T00:00:00.000Z',
  },
  { row: 'GET /upload/files?filters[$and][0][mime][$contains][[0]]=image&filters[$and][0][mime][$contains][[1]]=video' },
  { row: 'GET /upload/files?filters%5B$and%5D%5B0%5D%5Bmime%5D%5B$not%5D%5B$contains%5D%5B%5B0%5D%5D=image' },
  { row: 'GET /upload/folders?sort=name:ASC&pagination[pageSize]=-1&filters[$and][0][parent][id][$null]=true&_q=' },
  { row: 'POST /upload/folders', body: { name: 'Top', parent: null }, name: 'top' },
  { row: 'POST /upload/folders/', body: { name: 'Below', parent: '{top}' }, name: 'below' },
  {
    row: 'GET /upload/folders/{below}?populate[parent][populate][parent]=*&populate[parent][populate][parent][populate][parent]=*',
  },
  { row: 'POST /upload/actions/bulk-move', body: { fileIds: [], folderIds: ['{below}'], destinationFolderId: null } },
  { row: 'POST /upload/actions/bulk-delete', body: { fileIds: [], folderIds: ['{below}', '{top}'] } },
  { row: 'PUT /upload/configuration', body: { pageSize: 20, sort: 'createdAt:DESC' } },
  {
    row: 'POST /admin/api-tokens',
    body: { name: 'app', description: '', type: 'custom', lifespan: 604_800_000, permissions: ['api::memo.memo.find'] },
    name: 'token',
    status: 201,
  },
  {
    row: 'PUT /admin/api-tokens/{token}',
    body: { name: 'app', description: '', type: 'read-only', permissions: null },
  },
  {
    row: 'POST /admin/webhooks',
    body: { name: 'hook', url: 'http://hook.test', headers: {}, events: ['entry.create'] },
    name: 'hook',
    status: 201,
  },
  {
    row: 'PUT /admin/webhooks/{hook}',
    body: { name: 'hook', url: 'http://hook.test', headers: {}, events: ['entry.create'], isEnabled: false },
  },
  { row: 'POST /admin/webhooks/batch-delete', body: { ids: ['{hook}'] } },
];

describe('what the panel sends', () => {
  let serving: Serving;
  let send: PanelSender;
  const ids = new Map<string, number>();
  before(async () => {
    serving = await serveModels({ models: [memo], config: { plugins: { i18n: { enabled: true } } } });
    send = await openAdministrators(serving, {});
  });
  after(() => serving.stop());

  const fill = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids.get(name)));
  for (const { row, body, name, status = 200 } of requests)
    it(`answers ${String(status)} to ${row} ${JSON.stringify(body ?? '')}`, async () => {
      const [method = '', path = ''] = row.split(' ');
      const sent = body === undefined ? undefined : (JSON.parse(fill(JSON.stringify(body))) as unknown);
      const answer = await send('super', method, fill(path), sent);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
      if (name !== undefined) ids.set(name, Number(answer.body.id ?? answer.body.data.id));
    });
});
