import { FetchError, Shape, ShapeStream, type ShapeStreamInterface } from '@electric-sql/client';
import { expect } from 'chai';
import { readOffset, writeOffset } from '#api/sync/electric/offset.js';
import { serveSync, type ServingSync } from './serve-sync.js';

const reading = ['api::post.post.find', 'api::author.author.find'];

describe('an offset of a shape', () => {
  for (const after of [null, 5, 0, -3])
    for (const more of [true, false])
      it(`is read as it was written: id ${String(after)}, ${more ? 'more to read' : 'up to date'}`, () => {
        const next = { seq: 7, mark: 123, after };
        const isBehind = more || after !== null;
        expect(readOffset(writeOffset({ next, more }))).to.deep.equal({ position: next, isBehind });
      });
});

describe('shapes for Electric', () => {
  let server: ServingSync;
  let ann: string;
  before(async () => {
    server = await serveSync({ config: { api: { sync: { pageSize: 4 } } as object } });
    await server.admin('PUT', '/roles/1', { actions: reading });
    ann = (await server.addUser('ann')).jwt;
    for (let rating = 1; rating <= 10; rating += 1)
      await server.as(server.editor, 'POST', '/api/posts', {
        data: { title: `p${String(rating)}`, rating, seo: { title: 's' } },
      });
    await server.logged();
  });
  after(() => server.stop());

  const get = (query: string, token: string | null = server.editor) => server.as(token, 'GET', `/api/shapes/posts?${query}`);
  const next = ({ headers }: Awaited<ReturnType<typeof get>>): string =>
    `offset=${headers.get('electric-offset') ?? ''}&handle=${headers.get('electric-handle') ?? ''}`;

  const refused: readonly (readonly [query: string, status: number])[] = [
    ['', 400],
    ['offset=-1&log=changes_only', 400],
    ['offset=-1&where=a', 400],
    ['offset=-1&live=true', 400],
    ['offset=0_0&live=yes', 400],
    ['offset=0_0&live=true&live_sse=1', 400],
    ['offset=now', 409],
    ['offset=5_0&handle=nonsense', 409],
    ['offset=5_0', 409],
  ];
  for (const [query, status] of refused)
    it(`are refused: ${query}`, async () => {
      const answer = await get(query);
      expect(answer.status).to.equal(status);
      if (status === 409) {
        expect(answer.body).to.deep.equal([{ headers: { control: 'must-refetch' } }]);
        expect(answer.headers.get('electric-handle')).to.be.a('string');
      }
    });

  it('are pages of rows with texts, then up to date', async () => {
    const first = await get('offset=-1&fields=rating,seo');
    expect(first.body).to.have.length(4);
    expect(first.body[0]).to.deep.equal({
      key: '"posts"/"1"',
      value: { id: '1', rating: '1', seo: '{"id":1,"title":"s","author":null}' },
      headers: { operation: 'insert', txids: [first.body[0].headers.txids[0]] },
    });
    expect(JSON.parse(first.headers.get('electric-schema') ?? '')).to.deep.equal({
      id: { type: 'int4', pk_index: 0 },
      rating: { type: 'int4' },
      seo: { type: 'jsonb' },
    });
    const second = await get(`fields=rating,seo&${next(first)}`);
    const third = await get(`fields=rating,seo&${next(second)}`);
    expect(third.body).to.have.length(3);
    expect(third.headers.has('electric-up-to-date')).to.equal(true);
    expect(third.body[2].headers.control).to.equal('up-to-date');
  });

  it('are up to date at once after a live answer that was not, although nothing of theirs is left', async () => {
    const answered = [await get('offset=-1&fields=title')];
    const isCurrent = (): boolean => answered.at(-1)?.headers.has('electric-up-to-date') === true;
    const go = async (parameters: string): Promise<void> => {
      const [last] = answered.slice(-1);
      if (last !== undefined) answered.push(await get(`fields=title&${parameters}${next(last)}`));
    };
    while (!isCurrent()) await go('');
    await server.database.db.collection<{ _id: number }>('posts').updateMany({ _id: { $lte: 4 } }, { $set: { owner: 3 } });
    await server.logged(); // by changes of another type
    await go('live=true&');
    expect([answered.at(-1)?.body.length, isCurrent()]).to.deep.equal([4, false]);
    while (!isCurrent()) await go('live=true&');
    expect(answered.at(-1)?.body).to.have.length(1);
  });

  it('never use a handle twice', async () => {
    const handles = await Promise.all([1, 2].map(async () => (await get('offset=-1')).headers.get('electric-handle')));
    expect(handles[0]).to.not.equal(handles[1]);
  });

  it('keep the entries of a content type at its own path', async () => {
    const model = {
      uid: 'api::shape.shape',
      kind: 'collectionType',
      collectionName: 'shapes',
      info: { singularName: 'shape', pluralName: 'shapes', displayName: 'Shape' },
      attributes: { name: { type: 'string' } },
    };
    expect((await server.admin('PUT', `/models/${model.uid}`, model)).status).to.be.lessThan(300);
    const { body } = await server.as(server.editor, 'POST', '/api/shapes', { data: { name: 'round' } });
    expect((await server.as(server.editor, 'GET', `/api/shapes/${String(body.data.id)}`)).body.data.attributes.name).to.equal(
      'round',
    );
    await server.admin('DELETE', `/models/${model.uid}`);
    while ((await get('offset=-1')).status !== 200);
  });

  for (const liveSse of [false, true])
    it(`serve the client of Electric, ${liveSse ? 'by a stream' : 'by long polls'}`, async () => {
      let token = ann;
      const aborter = new AbortController();
      const errors: number[] = [];
      const stream = new ShapeStream({
        url: `${server.server.url}/api/shapes/posts`,
        params: { 'filters[rating][$gte]': '3' },
        headers: { authorization: () => `Bearer ${token}` },
        liveSse,
        signal: aborter.signal,
        onError: (error) => {
          errors.push(error instanceof FetchError ? error.status : 0);
          token = ann;
          return {};
        },
      });
      const shape = new Shape(stream as ShapeStreamInterface);
      const ids = (): unknown[] => shape.currentRows.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
      const until = async (isDone: () => boolean): Promise<void> => {
        while (!isDone())
          await new Promise<void>((resolve) => {
            const end = shape.subscribe(() => {
              end();
              resolve();
            });
            if (isDone()) resolve();
          });
      };
      await shape.rows;
      await until(() => ids().length === 8);
      expect(shape.currentRows[0]).to.include({ rating: 3, title: 'p3' });
      await server.as(server.editor, 'PUT', '/api/posts/1', { data: { rating: 20 } });
      await until(() => ids().includes(1));
      await server.as(server.editor, 'PUT', '/api/posts/1', { data: { rating: 1 } });
      await until(() => !ids().includes(1));
      await server.admin('PUT', '/roles/1/rules', { rows: { 'api::post.post': { rating: { $gt: 8 } } } });
      await until(() => ids().length === 2);
      await server.admin('PUT', '/roles/1/rules', { rows: null });
      await until(() => ids().length === 8);
      aborter.abort();
      expect(errors).to.deep.equal([]);
    });
});
