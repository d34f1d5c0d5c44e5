import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { collectionType } from '../support/collection-type.js';
import { Receiver } from '../support/receiver.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const uid = 'api::story.story';
const stages = [
  { name: 'Draft', color: '#666687' },
  { name: 'Review', color: '#4945ff', roles: ['reviewer 0'] },
  { name: 'Approved', color: '#328048', roles: ['reviewer 0', 'strapi-super-admin'] },
];
const models = [
  collectionType(
    'story',
    { title: { type: 'string' }, shared: { type: 'string' } },
    {
      options: { draftAndPublish: true, history: {}, workflow: { stages, publishFrom: 'Approved' } },
      pluginOptions: { schedule: { enabled: true }, sync: { enabled: true } },
    },
  ),
  collectionType('page', { title: { type: 'string' } }, { options: { draftAndPublish: true } }),
];
const fields = ['title'];
const path = '/content-manager/collection-types/api::story.story';
const staged = `/admin/api/workflow/${uid}`;
const adminToken = 'an-admin-token-of-more-than-32-characters';

describe('workflows', () => {
  let serving: ServedProject;
  let send: PanelSender;
  const receiver = new Receiver();
  const rest = (method: string, at: string, body?: unknown) => serving.call(method, at, body);
  const move = (as: string, id: number, body: object) => send(as, 'PUT', `${staged}/${String(id)}`, body);
  const collection = () => serving.database.db.collection<{ _id: number } & Record<string, unknown>>('storys');
  const stored = (id: number) => collection().findOne({ _id: id });
  const create = async (data: object = {}): Promise<number> =>
    (await rest('POST', '/api/storys', { data: { title: 'A', publishedAt: null, ...data } })).body.data.id;
  const approved = async (): Promise<number> => {
    const id = await create();
    await collection().updateOne({ _id: id }, { $set: { stage: 'Approved' } });
    return id;
  };

  before(async () => {
    await receiver.listen();
    const config = {
      admin: { rateLimit: { enabled: false }, token: adminToken },
      plugins: { graphql: { config: { apolloServer: {} } } },
      webhooks: { allowPrivate: true },
    };
    serving = await serveProject({}, { models, config });
    send = await openAdministrators(serving, {
      writer: [
        [
          { action: 'create', subject: uid, fields },
          { action: 'read', subject: uid, fields },
          { action: 'update', subject: uid, fields },
          { action: 'publish', subject: uid },
        ],
      ],
      reviewer: [
        [
          { action: 'read', subject: uid, fields },
          { action: 'publish', subject: uid },
        ],
      ],
      reader: [[{ action: 'read', subject: uid, fields }]],
      nobody: [[]],
    });
  });
  after(async () => {
    await serving.stop();
    await receiver.close();
  });

  it('new entries are in the first stage, which answers have only if they are asked for it', async () => {
    const id = await create({ stage: 'Approved', assignee: 1 });
    const plain = await rest('GET', `/api/storys/${String(id)}?publicationState=preview`);
    expect(plain.body.data.attributes).to.not.have.any.keys('stage', 'assignee');
    const asked = await rest('GET', `/api/storys/${String(id)}?fields=title,stage,assignee`);
    expect(asked.body.data.attributes).to.deep.equal({ title: 'A', stage: 'Draft', assignee: null });
    const listed = await rest('GET', '/api/storys?publicationState=preview&filters[stage]=Draft&sort=stage');
    expect(listed.body.data[0].attributes).to.not.have.any.keys('stage', 'assignee');
    const query = '{ storys(publicationState: PREVIEW, filters: { stage: { eq: "Draft" } }) { data { attributes { stage } } } }';
    expect((await rest('POST', '/graphql', { query })).body.data.storys.data[0].attributes).to.deep.equal({ stage: 'Draft' });
    expect(await serving.strapi.entityService.findOne(uid, id)).to.not.have.any.keys('stage', 'assignee');
  });

  it('an update through content APIs and the panel leaves the stage as it is', async () => {
    const id = await create();
    await rest('PUT', `/api/storys/${String(id)}`, { data: { title: 'B', stage: 'Approved', assignee: 1 } });
    await send('super', 'PUT', `${path}/${String(id)}`, { title: 'C', stage: 'Approved', assignee: 1 });
    await serving.strapi.entityService.update(uid, id, { data: { stage: 'Approved' } });
    await serving.strapi.db.query(uid).update({ where: { id }, data: { stage: 'Approved' } });
    await serving.strapi.db.query(uid).updateMany({ where: { id }, data: { title: 'D', stage: 'Approved' } });
    expect(await stored(id)).to.include({ title: 'D', stage: 'Draft', assignee: null });
  });

  it('the panel shows them in lists and forms', async () => {
    const id = await create();
    const { body } = await send('reader', 'GET', `${path}?filters[stage]=Draft&sort=id:DESC`);
    expect(body.results[0]).to.include({ id, stage: 'Draft', assignee: null });
    expect((await send('reader', 'GET', `${path}/${String(id)}`)).body).to.include({ stage: 'Draft', assignee: null });
  });

  it('whoever has the roles of both stages moves an entry', async () => {
    const id = await create();
    const { body } = await move('super', id, { stage: 'Review', assignee: 3, from: 'Draft' });
    expect(body.data).to.deep.include({
      stage: 'Review',
      assignee: { id: 3, name: 'reviewer' },
      by: { kind: 'administrator', id: 1, name: 'super' },
      moves: ['Draft', 'Approved'],
      assigns: true,
    });
    const shown = async (as: string) => (await send(as, 'GET', `${staged}/${String(id)}`)).body.data;
    expect(await shown('reviewer')).to.deep.include({ moves: ['Approved'], assigns: true });
    expect(await shown('writer')).to.deep.include({ stage: 'Review', moves: [], assigns: false });
    const tries: readonly (readonly [as: string, body: object, status: number, message: string])[] = [
      ['writer', { stage: 'Draft' }, 403, 'You may not change entries in the stage "Review"'],
      ['writer', { assignee: 1 }, 403, 'You may not change entries in the stage "Review"'],
      ['reviewer', { stage: 'Draft' }, 403, 'You may not move entries to the stage "Draft"'],
      ['nobody', { stage: 'Draft' }, 403, 'Forbidden'],
      ['super', { stage: 'Done' }, 400, 'stage must be one of: Draft, Review, Approved'],
      ['super', { assignee: 99 }, 400, 'assignee must be the id of an active administrator'],
      ['super', {}, 400, 'the body must have a stage or an assignee'],
    ];
    for (const [as, change, status, message] of tries) {
      const answer = await move(as, id, change);
      expect([answer.status, answer.body.error.message]).to.deep.equal([status, message]);
    }
    expect((await move('reviewer', id, { stage: 'Approved' })).status).to.equal(200);
    expect((await move('super', 999, { stage: 'Review' })).status).to.equal(404);
    expect((await send('super', 'GET', '/admin/api/workflow/api::page.page/1')).status).to.equal(404);
    expect(await stored(id)).to.include({ stage: 'Approved', assignee: 3 });
  });

  it('without roles whoever may update the entry moves it', async () => {
    const id = await create();
    expect((await send('writer', 'GET', `${staged}/${String(id)}`)).body.data).to.deep.include({ moves: [], assigns: true });
    expect((await send('reader', 'GET', `${staged}/${String(id)}`)).body.data).to.deep.include({ moves: [], assigns: false });
    expect((await move('writer', id, { assignee: 2 })).body.data.assignee).to.deep.equal({ id: 2, name: 'writer' });
    expect((await move('reader', id, { assignee: 4 })).status).to.equal(403);
  });

  it('the overview has the stages and the administrators', async () => {
    const { body } = await send('reader', 'GET', staged);
    expect(body.data.stages[1]).to.deep.equal({ name: 'Review', color: '#4945ff' });
    expect(body.data.publishFrom).to.equal('Approved');
    expect(body.data.administrators[1]).to.deep.equal({ id: 2, name: 'writer', isActive: true });
    expect((await send('nobody', 'GET', staged)).status).to.equal(403);
  });

  it('of two editors who move an entry at once, one is told who has moved it', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await create();
      await move('super', id, { stage: 'Review' });
      const answers = await Promise.all([
        move('super', id, { stage: 'Draft', from: 'Review' }),
        move('reviewer', id, { stage: 'Approved', from: 'Review' }),
      ]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
      const [won, lost] = [answers.find(({ status }) => status === 200), answers.find(({ status }) => status === 409)];
      const { stage, by } = won?.body.data ?? {};
      expect(lost?.body.error.name).to.equal('ConflictError');
      expect(lost?.body.error.message).to.contain(
        `This entry was moved to the stage "${String(stage)}" by ${String(by.name)} at 20`,
      );
      expect((await stored(id))?.['stage']).to.equal(stage);
    }
  });

  const publishedAt = '2026-01-01T00:00:00.000Z';
  const message = 'This entry is in the stage "Draft". It can be published from the stage "Approved" alone.';
  /** Ways of publishing the entry of an id. They return the error, if there is one. */
  const ways: Readonly<Record<string, (id: number) => Promise<unknown>>> = {
    'a PUT': async (id) => (await rest('PUT', `/api/storys/${String(id)}`, { data: { publishedAt } })).body.error?.message,
    GraphQL: async (id) => {
      const query = `mutation { updateStory(id: ${String(id)}, data: { publishedAt: "${publishedAt}" }) { data { id } } }`;
      return (await rest('POST', '/graphql', { query })).body.errors?.[0].message;
    },
    'a batch': async (id) => {
      const requests = [{ method: 'PUT', path: `/storys/${String(id)}`, body: { data: { publishedAt } } }];
      return (await rest('POST', '/api/batch', { requests })).body.data[0].body.error?.message;
    },
    'a push': async (id) => {
      const write = {
        key: `"publish-${String(id)}-by-push"`,
        op: 'update',
        type: 'storys',
        id,
        set: { publishedAt: { to: publishedAt } },
      };
      return (await rest('POST', '/api/sync/push', { writes: [write] })).body.data[0].error?.message;
    },
    'the panel': async (id) => (await send('super', 'POST', `${path}/${String(id)}/actions/publish`)).body.error?.message,
    'the panel, several': async (id) =>
      (await send('super', 'POST', `${path}/actions/bulkPublish`, { ids: [id] })).body.error?.message,
    entityService: (id) => failure(serving.strapi.entityService.update(uid, id, { data: { publishedAt } })),
    'db.query': (id) => failure(serving.strapi.db.query(uid).update({ where: { id }, data: { publishedAt } })),
    updateMany: (id) => failure(serving.strapi.db.query(uid).updateMany({ where: { id }, data: { publishedAt } })),
    'a restored version': async (id) => {
      const { db } = serving.database;
      await db.collection('_history').updateOne({ of: id, version: 1 }, { $set: { 'entry.publishedAt': new Date(publishedAt) } });
      return (await send('super', 'POST', `/admin/api/history/${uid}/${String(id)}/1/restore`, {})).body.error?.message;
    },
  };
  for (const [name, publish] of Object.entries(ways)) {
    it(`${name} publishes from the stage alone`, async () => {
      const id = await create();
      expect(await publish(id)).to.equal(message);
      expect((await stored(id))?.['publishedAt']).to.equal(null);
      const ready = await approved();
      expect(await publish(ready)).to.equal(undefined);
      expect((await stored(ready))?.['publishedAt']).to.be.instanceOf(Date);
    });
  }

  const creates: Readonly<Record<string, () => Promise<unknown>>> = {
    'a POST': async () => (await rest('POST', '/api/storys', { data: { title: 'New' } })).body.error?.message,
    GraphQL: async () => {
      const query = `mutation { createStory(data: { title: "New", publishedAt: "${publishedAt}" }) { data { id } } }`;
      return (await rest('POST', '/graphql', { query })).body.errors?.[0].message;
    },
    entityService: () => failure(serving.strapi.entityService.create(uid, { data: { title: 'New', publishedAt } })),
    createMany: () => failure(serving.strapi.db.query(uid).createMany({ data: [{ title: 'New', publishedAt }] })),
  };
  for (const [name, make] of Object.entries(creates)) {
    it(`${name} creates no published entry`, async () => {
      expect(await make()).to.equal(message);
      expect(await serving.database.db.collection('storys').countDocuments({ title: 'New' })).to.equal(0);
    });
  }

  it('an entry is published at its time once it is in the stage', async () => {
    const id = await create({ publishAt: '2020-01-01T00:00:00.000Z' });
    await delay(2_500);
    expect((await stored(id))?.['publishedAt']).to.equal(null);
    expect((await move('super', id, { stage: 'Approved' })).status).to.equal(200);
    for (;;) {
      if ((await stored(id))?.['publishedAt'] instanceof Date) break;
      await delay(100);
    }
  });

  it('a published entry can be changed and unpublished in each stage, and stays published when it is moved', async () => {
    const id = await approved();
    await ways['a PUT']?.(id);
    expect((await move('super', id, { stage: 'Draft' })).status).to.equal(200);
    expect((await rest('PUT', `/api/storys/${String(id)}`, { data: { title: 'E', publishedAt } })).status).to.equal(200);
    expect(
      (await rest('PUT', `/api/storys/${String(id)}`, { data: { publishedAt: '2026-02-01T00:00:00.000Z' } })).status,
    ).to.equal(400);
    expect(await stored(id)).to.include({ title: 'E' });
    expect((await rest('PUT', `/api/storys/${String(id)}`, { data: { publishedAt: null } })).status).to.equal(200);
    expect(await ways['a PUT']?.(id)).to.equal(message);
  });

  it('a move while the entry is published is before or after it', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await approved();
      const [moved, published] = await Promise.all([
        move('super', id, { stage: 'Draft', from: 'Approved' }),
        rest('PUT', `/api/storys/${String(id)}`, { data: { publishedAt } }),
      ]);
      expect(moved.status).to.equal(200);
      const isPublished = (await stored(id))?.['publishedAt'] !== null;
      expect(published.status).to.equal(isPublished ? 200 : 400);
    }
  });

  it('a stage that the model has no more counts as the first', async () => {
    const id = await create();
    await collection().updateOne({ _id: id }, { $set: { stage: 'Gone' } });
    expect((await send('super', 'GET', `${staged}/${String(id)}`)).body.data).to.include({ stage: 'Draft' });
    expect(await ways['a PUT']?.(id)).to.equal(message);
    expect((await move('super', id, { stage: 'Approved', from: 'Draft' })).status).to.equal(200);
  });

  it('a copy of an entry begins in the first stage', async () => {
    const id = await approved();
    await move('super', id, { assignee: 2 });
    const { body } = await send('super', 'POST', `${path}/clone/${String(id)}`, { title: 'Copy' });
    expect(await stored(body.id)).to.include({ title: 'Copy', stage: 'Draft', assignee: null });
  });

  it('a move is a webhook event of its own, and changes neither the time of update nor the content', async () => {
    await send('super', 'POST', '/admin/webhooks', {
      ...{ name: 'all', url: receiver.url(), headers: {} },
      events: ['entry.stage', 'entry.update'],
    });
    const id = await create();
    const before = await stored(id);
    await move('super', id, { stage: 'Review' });
    await move('super', id, { assignee: 2 });
    await rest('PUT', `/api/storys/${String(id)}`, { data: { title: 'F' } });
    await receiver.until(2);
    const [moved, updated] = receiver.received.map(({ body }) => body);
    expect(moved).to.deep.include({ event: 'entry.stage', uid, stage: { from: 'Draft', to: 'Review' } });
    expect(moved.entry)
      .to.include({ id, updatedAt: (before?.['updatedAt'] as Date).toISOString() })
      .and.not.have.any.keys('stage', 'assignee');
    expect(updated).to.include({ event: 'entry.update', uid });
  });

  it('with an admin token an entry is moved too', async () => {
    const id = await create();
    const response = await fetch(`${serving.server.url}${staged}/${String(id)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ stage: 'Approved' }),
    });
    expect(((await response.json()) as { readonly data: object }).data).to.deep.include({
      stage: 'Approved',
      moves: ['Draft', 'Review'],
    });
  });
});

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
