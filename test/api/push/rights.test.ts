import { expect } from 'chai';
import { newKey, type PushedWrite, servePush, type ServingPush } from './push-kit.js';

const actionsOn = (type: string, ...names: readonly string[]): readonly string[] =>
  names.map((name) => `api::${type}.${type}.${name}`);
const all = ['find', 'findOne', 'create', 'update', 'delete'];

describe('a push and the rights of its caller', () => {
  let service: ServingPush;
  let ann: { readonly id: number; readonly jwt: string };
  let bob: { readonly id: number; readonly jwt: string };
  before(async () => {
    service = await servePush();
    ann = await service.addUser('ann');
    bob = await service.addUser('bob');
  });
  after(() => service.stop());

  /** Gives the role of the users and the public actions and rules. */
  const grant = async (actions: readonly string[], rules: object = {}, role = 1): Promise<void> => {
    expect((await service.admin('PUT', `/roles/${String(role)}`, { actions })).status).to.equal(200);
    const { status, body } = await service.admin('PUT', `/roles/${String(role)}/rules`, { rows: null, fields: null, ...rules });
    expect(status, JSON.stringify(body)).to.equal(200);
  };
  const own = { rows: { 'api::article.article': { owner: { $eq: '$user.id' } } } };
  const update = (id: number | string, more: object): PushedWrite => ({ op: 'update', type: 'articles', id, ...more });
  const create = (id: string, title: string): PushedWrite => ({
    op: 'create',
    type: 'articles',
    id,
    set: { title: { to: title } },
  });

  it('each write needs the action of the single request', async () => {
    const id = await service.make('articles', { title: 'Salt' });
    await grant(actionsOn('article', 'find', 'update'));
    const [created, changed, removed] = await service.push(
      ann.jwt,
      create('$without-the-right', 'x'),
      update(id, { set: { title: { from: 'Salt', to: 'Pepper' } } }),
      { op: 'delete', type: 'articles', id },
    );
    expect(created?.error).to.include({ status: 403, name: 'ForbiddenError' });
    expect(changed).to.include({ status: 'applied' });
    expect(removed?.error).to.include({ status: 403 });
    expect((await service.read('articles', id)).title).to.equal('Pepper');
  });

  it('a type that is not synced, is none or is not the caller’s is refused with 404', async () => {
    await grant(actionsOn('article', ...all).concat(actionsOn('log', ...all)));
    const log = await service.make('logs', { text: 'a' });
    for (const type of ['logs', 'tags', 'nothing', 'users', '__proto__', 'article']) {
      const [answer] = await service.push(ann.jwt, { op: 'update', type, id: log, set: {} });
      expect(answer?.error, type).to.include({ status: 404, name: 'NotFoundError' });
    }
  });

  it('an entry that a rule hides is 404 whatever is compared, and a delete of it does nothing', async () => {
    await grant([...actionsOn('article', ...all), ...actionsOn('tag', 'find')], own);
    const id = await service.make('articles', { title: 'hidden', owner: bob.id, data: { a: 1 }, views: 1 });
    const probes: readonly object[] = [
      { set: { title: { from: 'hidden', to: 'x' } } },
      { set: { title: { from: 'other', to: 'x' } } },
      { set: { data: { from: { a: 1 }, to: 'x' } } },
      { set: { data: { from: { a: 2 }, to: 'x' } } },
      { increment: { views: 1 } },
      { add: { tags: [] } },
    ];
    for (const probe of probes) {
      const [answer] = await service.push(ann.jwt, update(id, probe));
      expect(answer, JSON.stringify(probe)).to.deep.include({ status: 'refused', id, version: null });
      expect(answer?.error).to.deep.include({ status: 404 });
      expect(answer).to.not.have.any.keys('attributes', 'conflicts');
    }
    for (const set of [{}, { title: { from: 'hidden' } }, { title: { from: 'other' } }]) {
      const [answer] = await service.push(ann.jwt, { op: 'delete', type: 'articles', id, set });
      expect(answer).to.deep.include({ status: 'applied', id, version: null });
    }
    expect(await service.read('articles', id)).to.include({ title: 'hidden', views: 1 });
  });

  it('an update that breaks the rule is refused, and nothing of it is stored', async () => {
    await grant(actionsOn('article', ...all), own);
    const [made] = await service.push(ann.jwt, create('$an-entry-of-ann', 'mine'));
    expect(made?.attributes).to.include({ owner: ann.id });
    const [answer] = await service.push(ann.jwt, update(Number(made?.id), { set: { owner: { from: ann.id, to: bob.id } } }));
    expect(answer?.error).to.include({ status: 403 });
    expect((await service.read('articles', Number(made?.id))).owner).to.equal(ann.id);
  });

  it('attributes that may not be read are refused with 400, whether from is right or not', async () => {
    const hidden = { fields: { 'api::article.article': { deny: ['price', 'views', 'data'] } } };
    await grant(actionsOn('article', ...all), hidden);
    const id = await service.make('articles', { title: 'Salt', price: 3, secret: 'word', data: { a: 1 }, author: null });
    const writes: readonly object[] = [
      { set: { price: { from: 3, to: 4 } } },
      { set: { price: { from: 5, to: 4 } } },
      { set: { price: { to: 4 } } },
      { set: { secret: { from: 'word', to: 'x' } } },
      { set: { secret: { from: 'other', to: 'x' } } },
      { set: { data: { from: { a: 1 }, to: null } } },
      { increment: { views: 1 } },
      { set: { author: { from: null, to: null } } },
      { add: { tags: [1] } },
    ];
    for (const write of writes) {
      const [answer] = await service.push(ann.jwt, update(id, write));
      expect(answer?.error, JSON.stringify(write)).to.include({ status: 400, name: 'ValidationError' });
      expect(answer).to.not.have.any.keys('attributes', 'conflicts');
    }
    for (const from of [3, 4]) {
      const [answer] = await service.push(ann.jwt, { op: 'delete', type: 'articles', id, set: { price: { from } } });
      expect(answer?.error).to.include({ status: 400 });
    }
    const [answer] = await service.push(ann.jwt, update(id, { set: { title: { from: 'x', to: 'y' } } }));
    expect(answer?.attributes).to.have.property('title', 'Salt');
    expect(answer?.attributes).to.not.have.any.keys('price', 'views', 'data', 'secret', 'author', 'tags');
  });

  it('a related entry that may not be seen is compared as none, so that no guess is confirmed', async () => {
    const seen = await service.make('authors', { name: 'seen' });
    const unseen = await service.make('authors', { name: 'unseen' });
    const rules = { rows: { 'api::author.author': { name: { $eq: 'seen' } } } };
    await grant([...actionsOn('article', ...all), ...actionsOn('author', 'find')], rules);
    for (const from of [unseen, seen]) {
      const id = await service.make('articles', { author: unseen });
      const [answer] = await service.push(ann.jwt, update(id, { set: { author: { from, to: null } } }));
      expect(answer).to.include({ status: 'conflict' });
      expect(answer?.conflicts).to.deep.equal({ author: { from, mine: null, theirs: null } });
      expect(answer?.attributes.author).to.equal(null);
    }
    const id = await service.make('articles', { author: unseen });
    const [answer] = await service.push(ann.jwt, update(id, { set: { author: { from: null, to: seen } } }));
    expect(answer?.attributes).to.deep.include({ author: { id: seen } });
  });

  it('keys and names belong to their caller', async () => {
    await grant(actionsOn('article', ...all));
    const key = newKey();
    const write = { ...create('$a-name-of-two-callers', 'one'), key };
    const [mine] = await service.push(ann.jwt, write);
    const [theirs] = await service.push(bob.jwt, write);
    expect([mine?.status, theirs?.status]).to.deep.equal(['applied', 'applied']);
    expect(mine?.id).to.not.equal(theirs?.id);
    const [unknown] = await service.push(service.full, update('$a-name-of-two-callers', { set: {} }));
    expect(unknown).to.include({ status: 'waiting' });
    const [named] = await service.push(bob.jwt, update('$a-name-of-two-callers', { set: {} }));
    expect(named).to.include({ status: 'applied', id: theirs?.id });
  });

  it('the key of a push and of a header are different ones', async () => {
    const [key, id] = [newKey(), await service.make('articles', { title: 'Salt' })];
    const response = await fetch(`${service.server.url}/api/articles/${String(id)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.full}`, 'idempotency-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ data: { title: 'Pepper' } }),
    });
    expect(response.status).to.equal(200);
    expect(await service.pushOne({ ...update(id, { set: { title: { to: 'Sugar' } } }), key })).to.include({ status: 'applied' });
  });

  it('a write that was applied is told so after its caller has lost rights, without what may not be seen any more', async () => {
    await grant(actionsOn('article', ...all), own);
    const write = { ...create('$before-the-rights-are-lost', 'mine'), key: newKey() };
    const [first] = await service.push(ann.jwt, write);
    expect(first?.attributes).to.include({ title: 'mine', owner: ann.id });
    await grant(actionsOn('article', ...all), { ...own, fields: { 'api::article.article': { deny: ['title'] } } });
    const other = { ...write, set: {}, key: newKey(), id: '$after-the-rights-are-lost' };
    expect((await service.push(ann.jwt, other))[0]).to.include({ status: 'applied' });
    const [again] = await service.push(ann.jwt, write);
    expect(again).to.include({ status: 'applied', id: first?.id });
    expect(again?.attributes).to.include({ owner: ann.id }).and.not.have.property('title');
    await grant([]);
    const told = { key: write.key, status: 'applied', id: first?.id, version: first?.version };
    expect((await service.push(ann.jwt, write))[0]).to.deep.equal(told);
    await grant(actionsOn('article', ...all), { rows: { 'api::article.article': { owner: { $eq: -1 } } } });
    const [hidden] = await service.push(ann.jwt, write);
    expect(hidden).to.deep.equal(told);
    await grant(actionsOn('article', 'find', 'findOne'));
    const [lost] = await service.push(ann.jwt, update(Number(first?.id), { set: { title: { from: 'mine', to: 'x' } } }));
    expect(lost?.error).to.include({ status: 403 });
  });

  it('the public needs long keys and names', async () => {
    await grant(actionsOn('article', ...all), {}, 2);
    const write = { key: newKey(), ...create('$short', 'x') };
    const short = await service.as(null, 'POST', '/api/sync/push', { writes: [write] });
    expect(short.status).to.equal(400);
    expect(short.body.error.message).to.match(/^writes\.0\.id must have at least 16/);
    const key = await service.as(null, 'POST', '/api/sync/push', {
      writes: [{ ...write, id: '$sixteen-characters', key: 'short' }],
    });
    expect(key.body.error.message).to.match(/^writes\.0\.key must have at least 16/);
    const [made] = await service.push(null, { ...write, id: '$sixteen-characters' });
    expect(made).to.include({ status: 'applied' });
    const lists = { writes: [{ ...update(Number(made?.id), { add: { tags: ['$short'] } }), key: newKey() }] };
    expect((await service.as(null, 'POST', '/api/sync/push', lists)).body.error.message).to.match(
      /^writes\.0\.add\.tags\.0 must/,
    );
  });

  it('a wrong token is a 401 of the whole push', async () => {
    const { status } = await service.as('wrong', 'POST', '/api/sync/push', { writes: [] });
    expect(status).to.equal(401);
  });
});
