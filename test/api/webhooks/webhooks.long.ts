import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { inTransaction } from '#store/send/transaction.js';
import { entryStore } from '#store/write/write-entries.js';
import { type Received, Receiver } from '../../support/receiver.js';
import { serveHooks, type HookServing } from './webhook-kit.js';

const everything = ['entry.create', 'entry.update', 'entry.delete', 'entry.publish', 'entry.unpublish'];

describe('webhooks', () => {
  let serving: HookServing;
  let receiver: Receiver;
  let idle: number;
  before(async () => {
    serving = await serveHooks();
    // deliveries go on while there is a webhook
    const body = { name: 'idle', url: 'https://example.com', events: [] };
    idle = (await serving.admin('POST', '/webhooks', body)).body.data.id;
  });
  beforeEach(async () => {
    receiver = new Receiver();
    await receiver.listen();
  });
  afterEach(async () => {
    for (const { id } of (await serving.admin('GET', '/webhooks')).body.data)
      if (id !== idle) await serving.admin('DELETE', `/webhooks/${String(id)}`);
    await receiver.close();
  });
  after(() => serving.stop());

  const create = async (values: object = {}) => {
    const body = { name: 'hook', url: receiver.url('/in'), events: everything, ...values };
    const answer = await serving.admin('POST', '/webhooks', body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body.data;
  };
  const write = async (method: string, path: string, data?: object): Promise<number> =>
    Number((await serving.call(method, `/api/${path}`, data && { data })).body.data.id);

  it('are told of each write, with a signature that standardwebhooks verifies', async () => {
    const { secret } = await create({ types: ['api::note.note'] });
    const id = await write('POST', 'notes', { title: 'a', secretWord: 'hidden', key: 'word', hint: 'h' });
    await write('POST', 'others', { title: 'not told' });
    await write('PUT', `notes/${String(id)}`, { title: 'b', publishedAt: null });
    await write('PUT', `notes/${String(id)}`, { publishedAt: '2026-01-01T00:00:00.000Z' });
    await write('DELETE', `notes/${String(id)}`);
    const received = await receiver.until(6);
    const verified = received.map(({ text, headers }) => new Webhook(secret).verify(text, headers as Record<string, string>));
    expect(verified).to.deep.equal(received.map(({ body }) => body));
    expect(received.map(({ body }) => [body.type, body.data.entry.title])).to.deep.equal([
      ['entry.create', 'a'],
      ['entry.update', 'b'],
      ['entry.unpublish', 'b'],
      ['entry.update', 'b'],
      ['entry.publish', 'b'],
      ['entry.delete', 'b'],
    ]);
    expect(received[0]?.body.data).to.include({ model: 'note', uid: 'api::note.note' });
    expect(received[0]?.body.data.entry).to.have.all.keys('id', 'title', 'hint', 'createdAt', 'updatedAt', 'publishedAt');
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).to.equal(6);
  });

  it('have the body and the header of Strapi v4 on demand', async () => {
    await create({ format: 'strapi', events: ['entry.create'] });
    await write('POST', 'others', { title: 'a' });
    const [received] = await receiver.until(1);
    const { headers, body } = received as Received;
    expect(headers['x-strapi-event']).to.equal('entry.create');
    expect(body).to.have.all.keys('event', 'createdAt', 'model', 'uid', 'entry');
    expect(body).to.deep.include({ event: 'entry.create', model: 'other', uid: 'api::other.other' });
  });

  const refused: readonly (readonly [title: string, values: object, message: RegExp])[] = [
    ['an address without a scheme', { url: 'example.com' }, /url must be a valid URL/],
    ['an address of another scheme', { url: 'file:///etc/passwd' }, /url/],
    ['an unknown event', { events: ['entry.nope'] }, /event entry.nope is not supported/],
    ['an unknown type', { types: ['api::nope.nope'] }, /types: there is no content type api::nope.nope/],
    ['a type of the panel', { types: ['admin::user'] }, /types: there is no content type admin::user/],
    ['an unknown key', { evnets: [] }, /unknown key evnets.*events/],
    ['an unknown format', { format: 'xml' }, /format/],
    ['an unknown role', { role: 'nobody' }, /role: there is no role nobody/],
    ['an attribute that is not there', { types: ['api::note.note'], fields: ['nope'] }, /nope/],
    ['a private attribute', { types: ['api::note.note'], fields: ['secretWord'] }, /secretWord/],
    ['a relation that is not there', { types: ['api::note.note'], populate: ['nope'] }, /nope/],
    ['a short secret', { secret: 'whsec_c2hvcnQ=' }, /secret/],
    ['a secret without a prefix', { secret: 'a'.repeat(40) }, /secret/],
    ['a header with a line break', { headers: { 'X-A': 'a\r\nX-B: b' } }, /the header X-A/],
    ['a header name with a line break', { headers: { 'X-A: a\r\nX-B': 'b' } }, /not the name of a header/],
    ['a header of the signature', { headers: { 'Webhook-Id': '1' } }, /Webhook-Id is set by the service/],
    ['a header of the transport', { headers: { 'transfer-encoding': 'chunked' } }, /transfer-encoding/],
    ['a header that is no text', { headers: { 'X-A': 1 } }, /X-A/],
  ];
  for (const [title, values, message] of refused)
    it(`refuse ${title}`, async () => {
      const body = { name: 'hook', url: receiver.url(), events: [], ...values };
      const { status, body: answer } = await serving.admin('POST', '/webhooks', body);
      expect([status, JSON.stringify(answer)]).to.satisfy(([code, text]: [number, string]) => code === 400 && message.test(text));
    });

  it('show their secret once, in no answer and no log after that', async () => {
    const { id, secret } = await create();
    expect(secret).to.match(/^whsec_/);
    const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const paths = ['/webhooks', `/webhooks/${String(id)}`, `/webhooks/${String(id)}/deliveries`, '/audit'];
    const put = await serving.admin('PUT', `/webhooks/${String(id)}`, { secret: other, headers: { 'X-Key': 'of-a-header' } });
    const shown = await Promise.all(paths.map(async (path) => (await serving.admin('GET', path)).body));
    for (const word of [secret, other]) expect(JSON.stringify([put.body, ...shown])).to.not.include(word);
    expect(JSON.stringify(shown.at(-1))).to.not.include('of-a-header');
  });

  it('are signed by the former secret too after another one was set', async () => {
    const { id, secret } = await create({ events: ['entry.create'] });
    const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await serving.admin('PUT', `/webhooks/${String(id)}`, { secret: other });
    await write('POST', 'others', {});
    const [{ text, headers }] = (await receiver.until(1)) as [Received];
    for (const known of [secret, other]) new Webhook(known).verify(text, headers as Record<string, string>);
    expect(String(headers['webhook-signature']).split(' ')).to.have.lengthOf(2);
  });

  it('send the entry as their role sees it', async () => {
    const { db } = serving.database;
    const roles = db.collection<{ _id: number }>('up_roles');
    await roles.insertOne({
      _id: 90,
      ...{ type: 'partner', name: 'Partner', description: '' },
      _rules: { fields: { 'api::note.note': { deny: ['hint'] } }, rows: { 'api::note.note': { title: { $ne: 'internal' } } } },
    } as never);
    const actions = ['api::note.note.find', 'api::note.note.findOne'];
    await db
      .collection<{ _id: number }>('up_permissions')
      .insertMany(actions.map((action, index) => ({ _id: 900 + index, action, role: 90 })) as never[]);
    await create({ role: 'partner', types: ['api::note.note'], populate: ['writer'] });
    await create({
      types: ['api::note.note'],
      populate: { writer: { fields: ['name'] } },
      fields: ['title'],
      url: receiver.url('/all'),
    });
    await serving.settled();
    const writer = await write('POST', 'writers', { name: 'w' });
    const id = await write('POST', 'notes', { title: 'internal', hint: 'h', writer });
    await write('PUT', `notes/${String(id)}`, { title: 'open' });
    await write('DELETE', `notes/${String(id)}`);
    const received = await receiver.until(5);
    const of = (path: string) => received.filter((one) => one.path === path).map(({ body }) => [body.type, body.data.entry]);
    expect(of('/in').map(([type, entry]) => [type, entry.title, 'hint' in entry, entry.writer])).to.deep.equal([
      ['entry.update', 'open', false, undefined],
      ['entry.delete', 'open', false, undefined],
    ]);
    expect(of('/all')).to.deep.equal([
      ['entry.create', { id, title: 'internal', writer: { id: writer, name: 'w' } }],
      ['entry.update', { id, title: 'open', writer: { id: writer, name: 'w' } }],
      ['entry.delete', { id, title: 'open', writer: { id: writer, name: 'w' } }],
    ]);
  });

  it('are told in the order of the changes of an entry, with the same id until one arrives', async () => {
    const failures = new Map<string, number>();
    await receiver.close();
    receiver = new Receiver((response, { body, headers }) => {
      const id = String(headers['webhook-id']);
      const failed = failures.get(id) ?? 0;
      failures.set(id, failed + 1);
      response.writeHead(body.type === 'entry.create' && failed < 2 ? 500 : 204).end();
    });
    await receiver.listen();
    await create({ types: ['api::other.other'] });
    const id = await write('POST', 'others', { title: '1' });
    for (const title of ['2', '3']) await write('PUT', `others/${String(id)}`, { title });
    const received = await receiver.until(5);
    expect(received.map(({ body }) => body.data.entry.title)).to.deep.equal(['1', '1', '1', '2', '3']);
    expect(new Set(received.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
  });

  it('are told of later changes when an earlier one has failed three times', async () => {
    await receiver.close();
    receiver = new Receiver(
      (response, { body }) => void response.writeHead(body.type === 'entry.create' ? 500 : 200).end('no'.repeat(900)),
    );
    await receiver.listen();
    const { id: hook } = await create({ types: ['api::other.other'] });
    const id = await write('POST', 'others', { title: '1' });
    await write('PUT', `others/${String(id)}`, { title: '2' });
    const received = await receiver.until((all) => all.filter(({ body }) => body.type === 'entry.create').length === 5);
    const types = received.map(({ body }) => body.type);
    expect(types.slice(0, 4)).to.deep.equal(['entry.create', 'entry.create', 'entry.create', 'entry.update']);
    const [, first] = await ended(hook, 2);
    expect([first.status, first.attempts, first.answer.status, first.answer.text]).to.deep.equal([
      'failed',
      5,
      500,
      'no'.repeat(500),
    ]);
  });

  /** Returns the deliveries of a webhook, the newest first, when as many have ended. */
  const ended = async (id: number, count: number) => {
    for (;;) {
      const { data } = (await serving.admin('GET', `/webhooks/${String(id)}/deliveries`)).body;
      if (data.filter(({ status }: { status: string }) => status !== 'pending').length === count) return data;
    }
  };

  it('are disabled by 410, and keep what is left', async () => {
    await receiver.close();
    receiver = new Receiver((response) => void response.writeHead(410).end());
    await receiver.listen();
    const { id } = await create({ types: ['api::other.other'] });
    const other = await write('POST', 'others', { title: '1' });
    await ended(id, 1);
    const { data } = (await serving.admin('GET', `/webhooks/${String(id)}`)).body;
    expect([data.enabled, data.disabledBecause]).to.deep.equal([false, 'its receiver has answered 410 Gone']);
    await write('PUT', `others/${String(other)}`, { title: '2' });
    expect(await ended(id, 1)).to.have.lengthOf(1);
    expect((await serving.admin('PUT', `/webhooks/${String(id)}`, { enabled: true })).body.data).to.include({
      enabled: true,
      disabledBecause: null,
    });
  });

  it('are not held back by another one that does not answer', async () => {
    const slow = new Receiver(() => undefined);
    await slow.listen();
    await create({ url: slow.url(), types: ['api::other.other'] });
    await create({ types: ['api::other.other'] });
    for (let count = 0; count < 12; count++) await write('POST', 'others', { title: String(count) });
    await receiver.until(12);
    await slow.until(8);
    expect(slow.received).to.have.lengthOf(8);
    await slow.close();
  });

  it('get deliveries again on demand', async () => {
    const { id } = await create({ types: ['api::other.other'] });
    const since = new Date();
    await write('POST', 'others', { title: '1' });
    await write('POST', 'others', { title: '2' });
    const [last] = await ended(id, 2);
    const replay = (body: object) => serving.admin('POST', `/webhooks/${String(id)}/replay`, body);
    expect((await replay({ delivery: last.id })).body.data).to.deep.equal({ count: 1 });
    await receiver.until(3);
    await ended(id, 2);
    expect((await replay({ since })).body.data).to.deep.equal({ count: 2 });
    const received = await receiver.until(5);
    expect(received.filter(({ headers }) => headers['webhook-id'] === last.id)).to.have.lengthOf(3);
    const wrong = [{}, { since: 'yesterday' }, { since, delivery: last.id }, { delivery: 3 }];
    expect(await Promise.all(wrong.map(async (body) => (await replay(body)).status))).to.deep.equal([400, 400, 400, 400]);
    expect((await replay({ delivery: 'msg_none' })).status).to.equal(404);
    const list = (query: string) => serving.admin('GET', `/webhooks/${String(id)}/deliveries?${query}`);
    expect((await list(`before=${last.id}`)).body.data).to.have.lengthOf(1);
    for (const query of ['before=msg_none', 'before=1&before=2', 'limit=0', 'status=lost'])
      expect((await list(query)).status, query).to.equal(400);
  });

  it('are told of models', async () => {
    await create({ events: ['model.change'] });
    const model = {
      kind: 'collectionType',
      info: { singularName: 'extra', pluralName: 'extras', displayName: 'Extra' },
      attributes: {},
    };
    for (const attributes of [{}, {}, { title: { type: 'string' } }])
      expect((await serving.admin('PUT', '/models/api::extra.extra', { ...model, attributes })).status).to.equal(200);
    await serving.admin('DELETE', '/models/api::extra.extra');
    const received = await receiver.until(3);
    expect(received.map(({ body }) => [body.type, body.data])).to.deep.equal(
      ['create', 'update', 'delete'].map((action) => ['model.change', { model: 'extra', uid: 'api::extra.extra', action }]),
    );
  });

  it('are told of files as Strapi v4 tells them', async () => {
    await create({ format: 'strapi', events: ['media.create', 'media.delete'], types: ['api::note.note'] });
    const form = new FormData();
    form.append('files', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
    const [file] = (await (await fetch(`${serving.server.url}/api/upload`, { method: 'POST', body: form })).json()) as [
      { id: number },
    ];
    await serving.call('DELETE', `/api/upload/files/${String(file.id)}`);
    const received = await receiver.until(2);
    expect(received.map(({ body }) => [body.event, body.media.id, body.media.name])).to.deep.equal([
      ['media.create', file.id, 'a.txt'],
      ['media.delete', file.id, 'a.txt'],
    ]);
  });

  it('cost writes of other types no command', async () => {
    const post = () => serving.call('POST', '/api/others', { data: { title: 'x' } });
    await serving.settled();
    await post();
    const { commands: without } = await serving.countCommands(post);
    await create({ types: ['api::note.note'] });
    await serving.settled();
    await post();
    expect((await serving.countCommands(post)).commands.filter((name) => name !== 'aggregate')).to.deep.equal(without);
  });

  it('of publications cost writes of types without drafts no command', async () => {
    const id = await write('POST', 'others', { title: 'x' });
    const put = () => serving.call('PUT', `/api/others/${String(id)}`, { data: { title: 'y' } });
    await serving.settled();
    await put();
    const { commands: without } = await serving.countCommands(put);
    await create({ events: ['entry.publish'] });
    await serving.settled();
    await put();
    expect((await serving.countCommands(put)).commands.filter((name) => name !== 'aggregate')).to.deep.equal(without);
  });

  /** Creates entries in one transaction. */
  const insert = async (titles: readonly string[], fail = false): Promise<void> => {
    const store = serving.server.backend?.store;
    if (store === undefined) throw new Error('the service does not run');
    const [first = 0] = await store.ids.next('others', titles.length, store.database);
    await inTransaction(store.database, async (inner) => {
      for (const [index, title] of titles.entries())
        await entryStore.insert({ ...store, database: inner }, 'others', { _id: first + index, title });
      if (fail) throw new Error('not to be committed');
    });
  };

  it('are told of many entries that are written at once, and of nothing that is not committed', async () => {
    const { id } = await create({ types: ['api::other.other'] });
    const titles = Array.from({ length: 30 }, (_, index) => String(index));
    await insert(['undone'], true).catch(() => undefined);
    await insert(titles);
    const received = await receiver.until(30);
    expect(received.map(({ body }) => body.data.entry.title).sort()).to.deep.equal([...titles].sort());
    expect(await ended(id, 25)).to.have.lengthOf(25);
  });

  it('send of a large entry only its id, and say why', async () => {
    await create({ types: ['api::other.other'] });
    await insert(['x'.repeat(1_048_576)]);
    const [{ body }] = (await receiver.until(1)) as [Received];
    expect(body.data.problem).to.equal('the entry is larger than 1 MB');
    expect(body.data.entry).to.have.all.keys('id');
  });

  it('are those that the panel lists and changes', async () => {
    const person = { firstname: 'a', lastname: 'b', email: 'a@example.org', password: 'Password1' };
    const { token } = (await serving.call('POST', '/admin/register-admin', person)).body.data;
    const panel = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' };
      const answer = await fetch(`${serving.server.url}/admin/webhooks${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      return ((await answer.json()) as { data: { id: number } }).data;
    };
    const values = { name: 'of the panel', url: receiver.url('/panel'), headers: { 'X-Key': 'k' }, events: ['entry.create'] };
    const made = await panel('POST', '', values);
    expect(made).to.deep.equal({ id: made.id, ...values, isEnabled: true });
    const { id, secret } = await create({ types: ['api::note.note'] });
    await panel('PUT', `/${String(id)}`, { ...values, url: receiver.url('/changed'), isEnabled: true });
    await write('POST', 'notes', { title: 'a' });
    await write('POST', 'others', { title: 'b' });
    const received = await receiver.until(3);
    const of = (path: string) => received.filter((one) => one.path === path);
    expect(of('/panel').map(({ body }) => body.entry.title)).to.have.members(['a', 'b']);
    expect(of('/panel')[0]?.headers).to.include({ 'x-strapi-event': 'entry.create', 'x-key': 'k' });
    expect(of('/panel')[0]?.headers).to.not.have.property('webhook-signature');
    const [{ text, headers }] = of('/changed') as [Received];
    new Webhook(secret).verify(text, headers as Record<string, string>);
    expect((await serving.admin('GET', `/webhooks/${String(made.id)}`)).body.data).to.include({ format: 'strapi' });
  });
});
