import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { serveModels, type Serving } from '../support/serve.js';

const names = ['aggregate', 'groupBy', 'having', 'facets', 'previewToken', 'fallbackLocale', 'sourceMap'];

const paths = ['/api/notes', '/api/notes/1', '/api/notes/count', '/api/users', '/api/upload/files', '/api/i18n/locales'];

describe('parameters that other routes know', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({
      models: [
        collectionType('note', {
          title: { type: 'string' },
          parent: { type: 'relation', relation: 'manyToOne', target: 'api::note.note' },
        }),
      ],
      documents: { notes: [{ _id: 1 }] },
      config: { plugins: { 'users-permissions': { config: { refreshTokens: { enabled: true } } } } },
    });
  });
  after(() => serving.stop());

  for (const name of names)
    for (const query of [`${name}=1`, `fields=id&${name}[a][0]=1`, `%${name.charCodeAt(0).toString(16)}${name.slice(1)}=1`, name])
      it(`${query} is refused by name`, async () => {
        for (const path of name === 'facets' ? paths.slice(1) : paths) {
          const { status, body } = await serving.call('GET', `${path}?${query}`);
          expect([status, body.error?.message], path).to.deep.equal([
            400,
            `Invalid parameter ${name}: this request does not support it`,
          ]);
        }
      });

  for (const [method, path] of [
    ['POST', '/api/batch'],
    ['POST', '/api/sync/push'],
    ['POST', '/api/auth/refresh'],
    ['POST', '/api/auth/logout'],
    ['GET', '/api/openapi.json'],
    ['GET', '/api/types.d.ts'],
    ['GET', '/api/sync/schema'],
    ['GET', '/api/notes/count'],
    ['GET', '/api/notes/aggregate'],
  ] as const)
    it(`no parameter that it does not know is ignored by ${method} ${path}`, async () => {
      const { status, body } = await serving.call(method, `${path}?unread=1`, method === 'POST' ? {} : undefined);
      expect(status).to.equal(400);
      expect(body.error.message).to.contain('Invalid parameter unread');
    });

  for (const query of ['sort=parent. title', 'sort[1]=:asc', 'sort=title,, id', 'aggregates=1'])
    it(`${query} has no effect on one entry`, async () => {
      expect((await serving.call('GET', `/api/notes/1?${query}`)).status).to.equal(200);
    });
});
