import { expect } from 'chai';
import { createClient } from '#client/create-client.js';
import { memoryStore, type SyncStore, withSync } from '#client/sync.js';
import { writeProject } from '../../support/write-project.js';
import { serveSync, type ServingSync } from './serve-sync.js';

const postsBy = (name: string, more = ''): string =>
  `const { factories } = require('@strapi/strapi');
   module.exports = factories.createCore${name}('api::post.post', ${more});`;

/** A type whose routes run code of each kind. */
const files = {
  'src/api/post/routes/post.js': postsBy('Router', '{ config: { create: { policies: [() => true] } } }'),
  'src/api/post/controllers/post.js': postsBy(
    'Controller',
    '{ async update(ctx) { return super.update(ctx); }, async add(ctx) { return super.create(ctx); } }',
  ),
  'src/api/post/services/post.js': postsBy('Service', '{ async delete(...args) { return super.delete(...args); } }'),
  'src/api/post/routes/own.js': `module.exports = { routes: [
    { method: 'POST', path: '/added', handler: 'post.add', config: { auth: false } },
  ] };`,
};

describe('the place of a write in the change log', () => {
  let server: ServingSync;
  before(async () => {
    server = await serveSync();
    await server.as(server.editor, 'POST', '/api/posts', { data: { title: 'first', rating: 1 } });
    await server.logged();
  });
  after(() => server.stop());

  const write = async (method: string, path: string, data?: object, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(server.server.url + path, {
      method,
      headers: { authorization: `Bearer ${server.editor}`, 'content-type': 'application/json', ...headers },
      ...(data && { body: JSON.stringify({ data }) }),
    });
    const { data: entry } = (await answer.json()) as { readonly data: { readonly id: number } };
    return { id: entry.id, position: answer.headers.get('sync-position') };
  };

  /** Pulls from a token until nothing follows. Returns the ids that have changed, and the place and token behind them. */
  const pull = async (token: string | null): Promise<{ ids: number[]; token: string; position: string }> => {
    const ids: number[] = [];
    for (let last = token; ;) {
      const path = `/api/sync/posts${last === null ? '' : `?token=${encodeURIComponent(last)}`}`;
      const { body } = await server.as(server.editor, 'GET', path);
      ids.push(...(body.data as readonly { readonly id: number }[]).map(({ id }) => id));
      last = String(body.meta.sync.token);
      if (body.meta.sync.more === false) return { ids, token: last, position: String(body.meta.sync.position) };
    }
  };

  const writes: readonly (readonly [method: string, path: string, data?: object, headers?: Readonly<Record<string, string>>])[] =
    [
      ['POST', '/api/posts', { title: 'new' }],
      ['POST', '/api/posts', { title: 'keyed' }, { 'idempotency-key': 'of-this-write' }],
      ['POST', '/api/posts', { title: 'in a transaction', seo: { title: 'S' }, tags: [] }],
      ['PUT', '/api/posts/1', { title: 'changed' }],
      ['DELETE', '/api/posts/1'],
    ];
  for (const [method, path, data, headers] of writes)
    it(`is in its answer, and a copy that has come there contains it: ${method} ${JSON.stringify(data ?? path)}`, async () => {
      const before = await pull(null);
      const { id, position } = await write(method, path, data, headers);
      expect(position).to.match(/^\d+$/);
      expect(BigInt(position ?? 0) > BigInt(before.position)).to.equal(true);
      await server.logged();
      const after = await pull(before.token);
      expect(after.ids).to.include(id);
      expect(BigInt(after.position) >= BigInt(position ?? 0)).to.equal(true);
    });

  const create = 'mutation { createPost(data: { title: "g", publishedAt: "2020-01-01T00:00:00.000Z" }) { data { id } } }';
  const requests = [
    { method: 'POST', path: '/posts', body: { data: { title: 'b' } } },
    { method: 'PUT', path: '/posts/$0', body: { data: { title: 'c' } } },
  ];
  const others: Readonly<Record<string, readonly [path: string, body: object]>> = {
    'a write': ['/api/posts', { data: { title: 'k' } }],
    'a batch of writes that stand alone': ['/api/batch', { requests }],
    'a batch in a transaction': ['/api/batch', { requests, transaction: true }],
    'a mutation': ['/graphql', { query: create }],
    'a batch of operations': ['/graphql', [{ query: '{ posts { data { id } } }' }, { query: create }]],
  };
  for (const [what, [path, body]] of Object.entries(others))
    for (const isKeyed of what === 'a batch of operations' ? [false] : [false, true])
      it(`is in the answer of ${what}${isKeyed ? ', also if its key repeats it' : ''}`, async () => {
        const send = async () => {
          const answer = await fetch(server.server.url + path, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${server.editor}`,
              'content-type': 'application/json',
              ...(isKeyed && { 'idempotency-key': `place of ${what}` }),
            },
            body: JSON.stringify(body),
          });
          expect(answer.status, await answer.text()).to.equal(200);
          return BigInt(answer.headers.get('sync-position') ?? 0);
        };
        const before = await pull(null);
        const place = await send();
        expect(place > BigInt(before.position)).to.equal(true);
        if (isKeyed) expect((await send()) >= place).to.equal(true);
        await server.logged();
        const after = await pull(before.token);
        expect([after.ids.length, BigInt(after.position) >= place]).to.deep.equal([1, true]);
      });

  it('is not in answers of queries over GraphQL', async () => {
    const answer = await server.as(server.editor, 'POST', '/graphql', { query: '{ posts { data { id } } }' });
    expect([answer.status, answer.headers.get('sync-position')]).to.deep.equal([200, null]);
  });

  it('is not in answers of types that are not synced, and of reads', async () => {
    expect((await write('POST', '/api/tags', { name: 't' })).position).to.equal(null);
    expect((await write('GET', '/api/posts/2')).position).to.equal(null);
  });

  it('costs no read', async () => {
    await server.settled();
    const create = (title: string) => server.as(server.editor, 'POST', '/api/posts', { data: { title } });
    await create('warm');
    const { commands } = await server.countCommands(() => create('counted'));
    // the log is written meanwhile
    expect(commands.filter((name) => !['insert', 'update', 'commitTransaction', 'getMore'].includes(name))).to.deep.equal([]);
  });

  it('keeps what a client has written among the entries until the copy contains it', async () => {
    const client = withSync(createClient({ url: server.server.url, token: server.editor, retries: 0 }));
    const controller = new AbortController();
    const store = memoryStore();
    let isOpen = true;
    const held: (() => void)[] = [];
    /** A copy that applies changes only when it is let. */
    const slow: SyncStore = {
      ...store,
      apply: async (changes, token) => {
        if (!isOpen) await new Promise<void>((resolve) => held.push(resolve));
        await store.apply(changes, token);
      },
    };
    let complete: () => void = () => undefined;
    const isComplete = new Promise<void>((resolve) => (complete = resolve));
    const copying = client.sync('posts', {}, slow, { signal: controller.signal, onChange: () => complete() });
    await isComplete;
    isOpen = false;
    const titles = async (from: Promise<readonly { readonly attributes: object }[]>) =>
      (await from).map(({ attributes }) => (attributes as { readonly title?: string }).title);
    const created = await client.create('posts', { title: 'mine' });
    const updated = await client.update('posts', 2, { title: 'also mine' });
    const deleted = await client.delete('posts', 3);
    const stored = async () => titles(Promise.resolve(store.entries()));
    expect(await stored())
      .to.include('keyed')
      .and.not.include.members(['mine', 'also mine']);
    expect(await titles(client.entries(slow)))
      .to.include.members(['mine', 'also mine'])
      .and.not.include('keyed');
    let hasReached = false;
    const reached = client.reached(updated).then(() => (hasReached = true));
    expect(hasReached).to.equal(false);
    isOpen = true;
    for (const resolve of held.splice(0)) resolve();
    await Promise.all([reached, client.reached(created), client.reached(deleted)]);
    expect(await stored()).to.include.members(['mine', 'also mine']);
    expect(await titles(client.entries(slow))).to.have.members(await stored());
    controller.abort();
    await copying;
    await client.reached('99999999999999999999'); // no copy lacks it
  });
});

describe('the place of a write whose answer is not that of the content API alone', () => {
  let server: ServingSync;
  let cover = 0;
  before(async () => {
    server = await serveSync({ project: await writeProject(files) });
    await server.as(server.editor, 'POST', '/api/posts', { data: { title: 'first' } });
  });
  after(() => server.stop());

  const json = (data: object): RequestInit => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ data }),
  });
  const upload = (more: Readonly<Record<string, string>> = {}): RequestInit => {
    const body = new FormData();
    body.append('files', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
    for (const [name, value] of Object.entries(more)) body.append(name, value);
    return { body };
  };

  const rows: Readonly<Record<string, () => readonly [method: string, path: string, init?: RequestInit]>> = {
    'a route with a policy': () => ['POST', '/api/posts', json({ title: 'a' })],
    'an action that the project overrides': () => ['PUT', '/api/posts/1', json({ title: 'b' })],
    'a route of the project': () => ['POST', '/api/added', json({ title: 'c' })],
    'an upload for an entry': () => ['POST', '/api/upload', upload({ ref: 'api::post.post', refId: '1', field: 'cover' })],
    'the deletion of a file': () => ['DELETE', `/api/upload/files/${String(cover)}`],
    'a service that the project overrides': () => ['DELETE', '/api/posts/1'],
  };
  for (const [what, row] of Object.entries(rows))
    it(`is in the answer of ${what}`, async () => {
      const [method, path, init = {}] = row();
      const answer = await fetch(server.server.url + path, {
        method,
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${server.editor}` },
      });
      const text = await answer.text();
      expect(answer.status, text).to.equal(200);
      if (path === '/api/upload') cover = (JSON.parse(text) as readonly { readonly id: number }[])[0]?.id ?? 0;
      expect(answer.headers.get('sync-position')).to.match(/^\d+$/);
    });
});
