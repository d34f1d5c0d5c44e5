import { expect } from 'chai';
import { serveModels, type Serving } from '../../support/serve.js';
import { roundsOf } from '../../support/rounds.js';
import { models, page, serveReleases, type ServingReleases, story } from './serve-releases.js';

const publish = (uid: string, id: number) => ({ action: 'publish', uid, id });
const past = '2020-01-01T00:00:00.000Z';
const path = (id: number, more = '') => `/admin/api/releases/${String(id)}${more}`;

describe('releases on two instances', () => {
  let server: ServingReleases;
  let other: Serving;
  before(async () => {
    const may = (action: 'read' | 'publish') => ({
      action,
      subject: story,
      ...(action === 'read' && { fields: ['title', 'text'] }),
    });
    server = await serveReleases({ editor: [[may('read'), may('publish')]], leaver: [[may('read'), may('publish')]] });
    const admin = { rateLimit: { enabled: false }, audit: { days: 30 } };
    other = await serveModels({ models, database: server.database, config: { admin } });
  });
  after(async () => {
    await other.stop();
    await server.serving.stop();
  });

  const send = (method: string, at: string, body?: object) => server.send('super', method, at, body);
  const publishings = (id: number): Promise<number> =>
    server.database.db.collection('_content_audit').countDocuments({ uid: story, of: id, action: 'publish' });

  it('are published by one of several requests', async () => {
    for (let round = roundsOf(2, 20); round > 0; round--) {
      const id = await server.draft(story);
      const made = await server.release('super', { name: 'Race', actions: [publish(story, id)] });
      const answers = await Promise.all([1, 2, 3, 4].map(() => send('POST', path(made.id, '/publish'))));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409]);
      expect(await publishings(id)).to.equal(1);
    }
  });

  it('are changed or published, never both', async () => {
    for (let round = roundsOf(3, 20); round > 0; round--) {
      const [one, two] = [await server.draft(story), await server.draft(story)];
      const made = await server.release('super', { name: 'Race', actions: [publish(story, one)] });
      const [changed, done] = await Promise.all([
        send('PUT', path(made.id), { actions: [publish(story, two)], version: 1 }),
        send('POST', path(made.id, '/publish'), { version: 1 }),
      ]);
      expect([changed.status, done.status].sort()).to.deep.equal([200, 409]);
      expect(await server.states([story, one], [story, two])).to.deep.equal([
        done.status === 200 ? 'published' : 'draft',
        'draft',
      ]);
    }
  });

  it('lose no change of two editors who name the version that they have read', async () => {
    const [one, two] = [await server.draft(story), await server.draft(page)];
    const made = await server.release('super', { name: 'Both' });
    const answers = await Promise.all(
      [publish(story, one), publish(page, two)].map((action) => send('PUT', path(made.id), { actions: [action], version: 1 })),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expect((await send('GET', path(made.id))).body.data).to.include({ count: 1, version: 2 });
  });

  it('lose no change of an entry that is saved meanwhile', async () => {
    for (let round = roundsOf(4, 30); round > 0; round--) {
      const id = await server.draft(story);
      const made = await server.release('super', {
        name: 'Edited',
        actions: [publish(story, id), publish(page, await server.draft(page))],
      });
      const entry = `/content-manager/collection-types/${story}/${String(id)}`;
      const [saved, done] = await Promise.all([
        send('PUT', entry, { title: 'Saved', text: 'A text' }),
        send('POST', path(made.id, '/publish')),
      ]);
      expect([saved.status, done.status], JSON.stringify([saved.body, done.body])).to.deep.equal([200, 200]);
      const { body } = await send('GET', entry);
      expect([body.title, body.publishedAt === null]).to.deep.equal(['Saved', false]);
    }
  });

  it('are carried out whole or not at all while an entry of theirs becomes incomplete', async () => {
    for (let round = roundsOf(4, 30); round > 0; round--) {
      const [id, last] = [await server.draft(story), await server.draft(story)];
      const made = await server.release('super', { name: 'Incomplete', actions: [publish(story, id), publish(story, last)] });
      const entry = `/content-manager/collection-types/${story}/${String(last)}`;
      const [saved, done] = await Promise.all([
        send('PUT', entry, { title: 'Saved', text: null }),
        send('POST', path(made.id, '/publish')),
      ]);
      // whoever comes second is refused
      expect([saved.status, done.status].sort()).to.deep.equal([200, 400]);
      const state = done.status === 200 ? 'published' : 'draft';
      expect(await server.states([story, id], [story, last])).to.deep.equal([state, state]);
      expect((await send('GET', path(made.id))).body.data.state).to.equal(done.status === 200 ? 'published' : 'open');
    }
  });

  it('are carried out at their time once, by whoever has changed them last', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 3; n++) ids.push(await server.draft(story));
    const made: number[] = [];
    for (const id of ids)
      made.push((await server.release('editor', { name: 'Due', at: past, actions: [publish(story, id)] })).id);
    for (const id of made) await server.until(id, ({ state }) => state === 'published');
    for (const id of ids) {
      expect(await publishings(id)).to.equal(1);
      const [{ by } = { by: null }] = (await send('GET', `/admin/api/audit/content?uid=${story}&id=${String(id)}&action=publish`))
        .body.data;
      expect(by).to.include({ kind: 'administrator', name: 'editor' });
    }
  });

  it('wait for their time', async () => {
    const id = await server.draft(story);
    const { id: made } = await server.release('super', {
      name: 'Later',
      at: '2999-01-01T00:00:00Z',
      actions: [publish(story, id)],
    });
    const soon = await server.release('super', { name: 'Sooner', at: past, actions: [publish(page, await server.draft(page))] });
    await server.until(soon.id, ({ state }) => state === 'published');
    expect((await send('GET', path(made))).body.data).to.include({ state: 'open', at: '2999-01-01T00:00:00.000Z' });
    expect((await send('PUT', path(made), { at: past })).status).to.equal(200);
    await server.until(made, ({ state }) => state === 'published');
    expect(await server.states([story, id])).to.deep.equal(['published']);
  });

  it('stay open with their problems if they are refused at their time, until somebody changes them', async () => {
    const [good, bad] = [await server.draft(story), await server.draft(story, { title: 'No text' })];
    const made = await server.release('super', { name: 'Bad', at: past, actions: [publish(story, good), publish(story, bad)] });
    const failed = await server.until(made.id, ({ failure }) => failure !== null);
    expect(failed.failure.problems.map(({ path: at }: { path: string[] }) => at.join('.'))).to.deep.equal(['actions.1.text']);
    expect(failed).to.include({ state: 'open' });
    expect(await server.states([story, good], [story, bad])).to.deep.equal(['draft', 'draft']);
    await send('PUT', `/content-manager/collection-types/${story}/${String(bad)}`, { title: 'With text', text: 'A text' });
    expect((await send('PUT', path(made.id), { at: past })).body.data.failure).to.equal(null);
    await server.until(made.id, ({ state }) => state === 'published');
    expect(await server.states([story, good], [story, bad])).to.deep.equal(['published', 'published']);
  });

  it('stay open if whoever has changed them last is blocked', async () => {
    const id = await server.draft(story);
    const made = await server.release('leaver', { name: 'Left', at: '2999-01-01T00:00:00Z', actions: [publish(story, id)] });
    const { body } = await send('GET', '/admin/users?pageSize=50');
    const leaver = (body.data.results as { id: number; firstname: string }[]).find(({ firstname }) => firstname === 'leaver');
    await send('PUT', `/admin/users/${String(leaver?.id)}`, { isActive: false });
    const shown = (await send('GET', path(made.id))).body.data;
    expect(shown.problems.map(({ path: at }: { path: string[] }) => at)).to.deep.equal([['by']]);
    const moved = await server.database.db
      .collection('_releases')
      .updateOne({ _id: made.id as never }, { $set: { at: new Date(past) } });
    expect(moved.modifiedCount).to.equal(1);
    const failed = await server.until(made.id, ({ failure }) => failure !== null);
    expect(failed.failure.problems[0].path).to.deep.equal(['by']);
    expect(await server.states([story, id])).to.deep.equal(['draft']);
    expect((await send('POST', path(made.id, '/publish'))).status).to.equal(200);
    expect(await server.states([story, id])).to.deep.equal(['published']);
  });

  it('are published by hand with the rights of whoever does that', async () => {
    const id = await server.draft(page);
    const made = await server.release('super', { name: 'Page', actions: [publish(page, id)] });
    expect((await server.send('editor', 'POST', path(made.id, '/publish'))).status).to.equal(404);
    expect(await server.states([page, id])).to.deep.equal(['draft']);
  });
});
