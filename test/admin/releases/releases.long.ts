import { expect } from 'chai';
import { features } from '#features.js';
import type { Feature } from '#http/feature.js';
import type { Database } from '#store/send/database.js';
import { Receiver } from '../../support/receiver.js';
import type { Answer } from '../../support/serve.js';
import { page, plain, serveReleases, type ServingReleases, story } from './serve-releases.js';

const fields = ['title', 'text', 'count'];
const publish = (uid: string, id: number) => ({ action: 'publish', uid, id });
const problemsOf = ({ problems }: Answer['body']): string[] =>
  (problems as { path: string[]; message: string }[]).map(({ path, message }) => `${path.join('.')}: ${message}`);
const errorsOf = ({ body }: Answer): string[] => problemsOf({ problems: body.error.details.errors });

describe('releases', () => {
  let server: ServingReleases;
  const send = (as: string, method: string, path: string, body?: object) =>
    server.send(as, method, `/admin/api/releases${path}`, body);
  before(async () => {
    server = await serveReleases({
      writer: [[{ action: 'read', subject: story, fields }]],
      editor: [
        [
          { action: 'read', subject: story, fields: ['title'] },
          { action: 'publish', subject: story },
          { action: 'create', subject: story, fields },
        ],
      ],
      author: [
        [
          { action: 'create', subject: story, fields },
          { action: 'read', subject: story, fields, conditions: ['admin::is-creator'] },
          { action: 'publish', subject: story, conditions: ['admin::is-creator'] },
        ],
      ],
      outsider: [[]],
    });
  });
  after(() => server.serving.stop());

  it('publish, unpublish and delete together, and are published then', async () => {
    const [one, two, three] = [await server.draft(story), await server.draft(page), await server.draft(plain)];
    await server.send('super', 'POST', `/content-manager/collection-types/${page}/${String(two)}/actions/publish`);
    const made = await server.release('super', {
      name: ' Winter ',
      actions: [publish(story, one), { action: 'unpublish', uid: page, id: two }, { action: 'delete', uid: plain, id: three }],
    });
    expect(made).to.include({ name: 'Winter', state: 'open', at: null, version: 1, count: 3, hidden: 0 });
    expect(made.by).to.include({ kind: 'administrator', name: 'super' });
    expect(made.problems).to.deep.equal([]);
    expect(made.actions[0]).to.deep.equal({ ...publish(story, one), label: 'A title', locale: null, status: 'draft' });
    const { status, body } = await send('super', 'POST', `/${String(made.id)}/publish`);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.data).to.include({ state: 'published', version: 2 });
    expect(body.data.publishedAt).to.be.a('string');
    expect(body.data.actions.map(({ status: state }: { status: string | null }) => state)).to.deep.equal([
      ...['published', 'draft', null],
    ]);
    expect(await server.states([story, one], [page, two], [plain, three])).to.deep.equal(['published', 'draft', 'gone']);
    const versions = await server.admin('GET', `/admin/api/history/${story}/${String(one)}`);
    expect(versions.body.data[0]).to.include({ action: 'publish' });
    expect(versions.body.data[0].by).to.include({ kind: 'administrator' });
  });

  it('change nothing more once they are published', async () => {
    const { id } = await server.release('super', { name: 'Once', actions: [publish(page, await server.draft(page))] });
    await send('super', 'POST', `/${String(id)}/publish`);
    for (const [method, path, body] of [
      ['POST', '/publish', {}],
      ['PUT', '', { name: 'Twice' }],
    ] as const)
      expect((await send('super', method, `/${String(id)}${path}`, body)).status, method).to.equal(409);
    expect((await send('super', 'DELETE', `/${String(id)}`)).status).to.equal(200);
    expect((await send('super', 'GET', `/${String(id)}`)).status).to.equal(404);
  });

  it('leave all entries as they are if one cannot be published, and name all problems before', async () => {
    const [good, bad, gone] = [
      await server.draft(story),
      await server.draft(story, { title: 'No text' }),
      await server.draft(page),
    ];
    const { id } = await server.release('super', {
      name: 'Bad',
      actions: [publish(story, good), publish(story, bad), { action: 'delete', uid: page, id: gone }],
    });
    await server.send('super', 'DELETE', `/content-manager/collection-types/${page}/${String(gone)}`);
    const named = [
      'actions.1.text: text must be a `string` type, but the final value was: `null`.',
      `actions.2.id: there is no entry ${String(gone)} of ${page}`,
    ];
    expect(problemsOf((await send('super', 'GET', `/${String(id)}`)).body.data)).to.deep.equal(named);
    const refused = await send('super', 'POST', `/${String(id)}/publish`);
    expect([refused.status, errorsOf(refused)]).to.deep.equal([400, named]);
    expect(await server.states([story, good], [story, bad])).to.deep.equal(['draft', 'draft']);
    const shown = (await send('super', 'GET', `/${String(id)}`)).body.data;
    expect(shown).to.include({ state: 'open', version: 1 });
    const kept = await send('super', 'PUT', `/${String(id)}`, { actions: shown.actions.slice(0, 1).map(asSent) });
    expect(kept.body.data.problems).to.deep.equal([]);
    expect((await send('super', 'POST', `/${String(id)}/publish`, { version: 1 })).status).to.equal(409);
    expect((await send('super', 'POST', `/${String(id)}/publish`, { version: 2 })).status).to.equal(200);
    expect(await server.states([story, good])).to.deep.equal(['published']);
  });

  const entry = () => server.draft(story);
  const refusals: readonly (readonly [title: string, as: string, body: () => Promise<object>, status: number, text: RegExp])[] = [
    ['nothing that the administrator may do', 'outsider', () => Promise.resolve({ name: 'x' }), 403, /could do nothing/],
    ['no name', 'super', () => Promise.resolve({}), 400, /name/],
    ['an empty name', 'super', () => Promise.resolve({ name: '  ' }), 400, /name/],
    ['a wrong time', 'super', () => Promise.resolve({ name: 'x', at: 'tomorrow' }), 400, /at must be/],
    ['an unknown key', 'super', () => Promise.resolve({ name: 'x', by: 1 }), 400, /unknown key by/],
    [
      'an unknown action',
      'super',
      () => Promise.resolve({ name: 'x', actions: [{ ...publish(story, 1), action: 'burn' }] }),
      400,
      /action/,
    ],
    [
      'an unknown type',
      'super',
      () => Promise.resolve({ name: 'x', actions: [publish('api::no.no', 1)] }),
      400,
      /no content type/,
    ],
    ['a type without drafts', 'super', () => Promise.resolve({ name: 'x', actions: [publish(plain, 1)] }), 400, /no drafts/],
    ['a missing entry', 'super', () => Promise.resolve({ name: 'x', actions: [publish(story, 9999)] }), 400, /no entry 9999/],
    [
      'two actions on an entry',
      'super',
      async () => {
        const id = await entry();
        return { name: 'x', actions: [publish(story, id), { action: 'delete', uid: story, id }] };
      },
      400,
      /same entry/,
    ],
    [
      'more than 200 actions',
      'super',
      () => Promise.resolve({ name: 'x', actions: Array.from({ length: 201 }, (_, id) => publish(story, id + 1)) }),
      400,
      /200/,
    ],
    [
      'a right that is missing',
      'writer',
      async () => ({ name: 'x', actions: [publish(story, await entry())] }),
      403,
      /right to publish/,
    ],
    [
      'a right to another action',
      'editor',
      async () => ({ name: 'x', actions: [{ action: 'delete', uid: story, id: await entry() }] }),
      403,
      /right to delete/,
    ],
    ['an entry of somebody else', 'author', async () => ({ name: 'x', actions: [publish(story, await entry())] }), 403, /right/],
  ];
  for (const [title, as, body, status, text] of refusals)
    it(`refuse ${title}`, async () => {
      const answer = await send(as, 'POST', '', await body());
      expect([answer.status, JSON.stringify(answer.body)]).to.satisfy(
        ([code, shown]: [number, string]) => code === status && text.test(shown),
        JSON.stringify(answer.body),
      );
    });

  it('are changed, published and deleted only by those who may do each of their actions', async () => {
    const [mine, other] = [await server.draft(story), await server.draft(page)];
    const { id } = await server.release('super', { name: 'Mixed', actions: [publish(story, mine), publish(page, other)] });
    const path = `/${String(id)}`;
    for (const as of ['writer', 'editor'])
      for (const [method, more, body] of [
        ['PUT', '', { name: 'Taken' }],
        ['PUT', '', { actions: [publish(story, mine)] }],
        ['PUT', '', { actions: [] }],
        ['POST', '/publish', {}],
        ['DELETE', '', undefined],
      ] as const)
        expect((await send(as, method, `${path}${more}`, body)).status, `${as} ${method}`).to.equal(403);
    expect(await server.states([story, mine], [page, other])).to.deep.equal(['draft', 'draft']);
    expect((await send('super', 'PUT', path, { actions: [publish(story, mine)] })).status).to.equal(200);
    expect((await send('editor', 'PUT', path, { name: 'Mine' })).body.data.by).to.include({ name: 'editor' });
    expect((await send('editor', 'POST', `${path}/publish`)).status).to.equal(200);
    expect(await server.states([story, mine], [page, other])).to.deep.equal(['published', 'draft']);
  });

  it('are seen by those who may read a type of theirs, without what they may not read', async () => {
    const [one, two] = [await server.draft(story, { title: 'Seen' }), await server.draft(page, { title: 'Unseen' })];
    const { id } = await server.release('super', { name: 'Half', actions: [publish(page, two), publish(story, one)] });
    const path = `/${String(id)}`;
    const seen = (await send('editor', 'GET', path)).body.data;
    expect(seen).to.include({ hidden: 1, count: 2 });
    expect(seen.actions.map(({ label }: { label: string }) => label)).to.deep.equal(['Seen']);
    expect(problemsOf(seen)).to.deep.equal([
      'actions: an action on an entry that you may not read cannot be carried out',
      'actions.0.text: text must be a `string` type, but the final value was: `null`.',
    ]);
    expect((await send('outsider', 'GET', path)).status).to.equal(404);
    const listed = async (as: string): Promise<number[]> =>
      (await send(as, 'GET', '?limit=100')).body.data.map((one: { id: number }) => one.id);
    expect(await listed('outsider')).to.not.contain(id);
    expect(await listed('editor')).to.contain(id);
    expect(await listed('author')).to.contain(id);
    const hidden = (await send('author', 'GET', path)).body.data;
    expect([hidden.actions, hidden.hidden]).to.deep.equal([[], 2]);
  });

  it('are listed by state, page and entry', async () => {
    const id = await server.draft(page);
    const made = [1, 2, 3].map((n) => ({ name: `List ${String(n)}`, actions: [publish(page, id)] }));
    const ids: number[] = [];
    for (const body of made) ids.push((await server.release('super', body)).id);
    const list = async (query: string) =>
      (await send('super', 'GET', `?uid=${page}&id=${String(id)}&${query}`)).body.data as { id: number; action: string }[];
    const [first = 0, second = 0, third = 0] = ids;
    expect((await list('')).map((one) => [one.id, one.action])).to.deep.equal(
      [third, second, first].map((one) => [one, 'publish']),
    );
    expect((await list('start=1&limit=1')).map((one) => one.id)).to.deep.equal([second]);
    expect((await list('start=1&limit=1')).map(Object.keys)[0]).to.not.contain('actions');
    await send('super', 'POST', `/${String(first)}/publish`);
    expect((await list('state=open')).map((one) => one.id)).to.deep.equal([third, second]);
    expect((await list('state=published')).map((one) => one.id)).to.deep.equal([first]);
    for (const query of ['state=all', 'limit=101', 'uid=api::page.page', 'id=1', 'sort=name'])
      expect((await send('super', 'GET', `?${query}`)).status, query).to.equal(400);
    expect((await send('editor', 'GET', `?uid=${page}&id=${String(id)}`)).status).to.equal(403);
    expect((await send('super', 'GET', `?uid=${page}&id=99999`)).status).to.equal(404);
  });

  it('are made and published by admin tokens', async () => {
    const id = await server.draft(story);
    const made = await server.admin('POST', '/admin/api/releases', { name: 'Token', actions: [publish(story, id)] });
    expect([made.status, made.body.data.by]).to.deep.equal([200, { kind: 'token', id: 0 }]);
    expect((await server.admin('POST', `/admin/api/releases/${String(made.body.data.id)}/publish`)).status).to.equal(200);
    expect(await server.states([story, id])).to.deep.equal(['published']);
  });

  it('tell webhooks once, besides of their entries', async () => {
    const receiver = new Receiver();
    await receiver.listen();
    const events = ['release.publish', 'entry.publish'];
    await server.admin('POST', '/admin/api/webhooks', { name: 'Hook', url: receiver.url(), events });
    await server.serving.settled();
    const [one, two] = [await server.draft(story), await server.draft(page)];
    const { id } = await server.release('super', { name: 'Told', actions: [publish(story, one), publish(page, two)] });
    await send('super', 'POST', `/${String(id)}/publish`);
    const received = await receiver.until(3);
    expect(received.map(({ body }) => body.type).sort()).to.deep.equal(['entry.publish', 'entry.publish', 'release.publish']);
    const { release } = received.find(({ body }) => body.type === 'release.publish')?.body.data;
    expect(release).to.include({ id, name: 'Told', actions: 2 }).and.have.keys('id', 'name', 'publishedAt', 'actions');
    await receiver.close();
  });

  it('name entries that are in a stage from which they are not published', async () => {
    const options = {
      draftAndPublish: true,
      workflow: { stages: [{ name: 'Draft' }, { name: 'Approved' }], publishFrom: 'Approved' },
    };
    await server.admin('PUT', '/admin/api/models/api::staged.staged', { ...modelOf('staged'), options });
    const staged = 'api::staged.staged';
    const [first, second] = [await server.draft(page), await server.draft(staged, { title: 'Staged' })];
    const made = await server.release('super', { name: 'Staged', actions: [publish(page, first), publish(staged, second)] });
    expect(problemsOf(made)).to.deep.equal([
      'actions.1: This entry is in the stage "Draft". It can be published from the stage "Approved" alone.',
    ]);
    expect((await send('super', 'POST', `/${String(made.id)}/publish`)).status).to.equal(400);
    await server.admin('PUT', `/admin/api/workflow/${staged}/${String(second)}`, { stage: 'Approved' });
    expect((await send('super', 'POST', `/${String(made.id)}/publish`)).status).to.equal(200);
    expect(await server.states([page, first], [staged, second])).to.deep.equal(['published', 'published']);
  });

  it('publish the draft beside a published entry, and name the unique values of drafts that others have', async () => {
    const options = { draftAndPublish: true, drafts: 'beside' };
    const attributes = { title: { type: 'string', unique: true } };
    await server.admin('PUT', '/admin/api/models/api::beside.beside', { ...modelOf('beside'), options, attributes });
    const beside = 'api::beside.beside';
    const entry = (id: number) => `/content-manager/collection-types/${beside}/${String(id)}`;
    const id = await server.draft(beside, { title: 'Published' });
    await server.send('super', 'POST', `${entry(id)}/actions/publish`);
    await server.send('super', 'PUT', entry(id), { title: 'Taken' });
    const other = await server.draft(beside, { title: 'Taken' });
    const made = await server.release('super', { name: 'Beside', actions: [publish(beside, id)] });
    expect(problemsOf(made)).to.deep.equal(['actions.0.title: This attribute must be unique']);
    await server.send('super', 'DELETE', entry(other));
    const done = await send('super', 'POST', `/${String(made.id)}/publish`);
    expect(done.status, JSON.stringify(done.body)).to.equal(200);
    const stored = await server.database.db.collection('besides').findOne({ _id: id as never });
    expect([stored?.['title'], stored?.['_draft']]).to.deep.equal(['Taken', undefined]);
  });

  it('follow a type that is renamed, and name one that is removed', async () => {
    await server.admin('PUT', '/admin/api/models/api::note.note', modelOf('note'));
    const id = await server.draft('api::note.note', { title: 'Note' });
    const made = await server.release('super', {
      name: 'Notes',
      actions: [publish('api::note.note', id), publish(page, await server.draft(page))],
    });
    const shown = async () => (await send('super', 'GET', `/${String(made.id)}`)).body.data;
    const renamed = await server.admin('PUT', '/admin/api/models/api::memo.memo', {
      ...modelOf('memo'),
      renamedFrom: 'api::note.note',
    });
    expect(renamed.status, JSON.stringify(renamed.body)).to.equal(200);
    const moved = await server.until(made.id, ({ actions }) => actions[0].uid !== 'api::note.note');
    expect(moved.actions.map(({ uid }: { uid: string }) => uid)).to.deep.equal(['api::memo.memo', page]);
    expect(moved.problems).to.deep.equal([]);
    await server.admin('DELETE', '/admin/api/models/api::memo.memo');
    await server.serving.settled();
    expect(problemsOf(await shown())).to.deep.equal(['actions.0.uid: there is no content type api::memo.memo']);
    expect((await send('super', 'POST', `/${String(made.id)}/publish`)).status).to.equal(400);
    expect((await send('super', 'DELETE', `/${String(made.id)}`)).status).to.equal(200);
  });
});

const modelOf = (name: string) => ({
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: true },
  attributes: { title: { type: 'string' } },
});

const asSent = ({ action, uid, id }: { action: string; uid: string; id: number }) => ({ action, uid, id });

describe('releases of a standalone server', () => {
  it('are refused', async () => {
    const standalone: Feature = {
      name: 'standalone',
      start: ({ source }) =>
        void Object.assign(source.store.database as { -readonly [Name in keyof Database]: Database[Name] }, {
          isReplicated: false,
        }),
    };
    const server = await serveReleases({}, { features: [standalone, ...features] });
    const id = await server.draft(page);
    const made = await server.send('super', 'POST', '/admin/api/releases', { name: 'x', actions: [publish(page, id)] });
    expect([made.status, made.body.error.message]).to.deep.equal([
      400,
      'Releases need a replica set: a standalone server has no transactions',
    ]);
    await server.serving.stop();
  });
});
