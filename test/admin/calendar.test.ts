import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { collectionType } from '../support/collection-type.js';
import { serveModels, type Serving } from '../support/serve.js';

const page = 'api::page.page';
const more = { options: { draftAndPublish: true }, pluginOptions: { schedule: { enabled: true } } };
const models = [
  collectionType('page', { title: { type: 'string' } }, more),
  collectionType('tale', { title: { type: 'string' } }, { ...more, options: { ...more.options, drafts: 'beside' } }),
  collectionType('plain', { title: { type: 'string' } }, { options: { draftAndPublish: true } }),
];
const read = { action: 'read', subject: page } as const;
const month = ['2031-05-01T00:00:00Z', '2031-06-01T00:00:00Z'] as const;

describe('the calendar of what is to come', () => {
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    serving = await serveModels({ models });
    send = await openAdministrators(serving, {
      reader: [[{ ...read, fields: ['title', 'publishAt'] }]],
      blind: [[{ ...read, fields: ['title'] }]],
      mine: [[{ ...read, fields: ['title', 'publishAt'], conditions: ['admin::is-creator'] }]],
    });
    const make = (title: string, times: object) =>
      serving.call('POST', '/api/pages', { data: { title, publishedAt: null, ...times } });
    await make('late', { publishAt: '2031-05-20T08:00:00Z', unpublishAt: '2031-05-30T08:00:00Z' });
    await make('early', { publishAt: '2031-05-02T08:00:00Z' });
    await make('next month', { publishAt: '2031-06-01T00:00:00Z' });
    for (const [name, at] of [
      ['spring', '2031-05-10T08:00:00Z'],
      ['by hand', null],
    ])
      expect((await send('super', 'POST', '/admin/api/releases', { name, at })).status).to.equal(200);
  });
  after(() => serving.stop());

  const coming = async (as: string, from: string = month[0], to: string = month[1]) => {
    const { status, body } = await send(as, 'GET', `/admin/api/calendar?from=${from}&to=${to}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return (body.data as { action: string; label: string }[]).map(({ action, label }) => `${action} ${label}`);
  };

  it('has publishings, unpublishings and releases between two times, in their order', async () => {
    expect(await coming('super')).to.deep.equal(['publish early', 'release spring', 'publish late', 'unpublish late']);
    expect(await coming('super', month[1], '2031-07-01T00:00:00Z')).to.deep.equal(['publish next month']);
  });

  it('has the times at which drafts beside published entries are published, and published entries unpublished', async () => {
    const { body } = await serving.call('POST', '/api/tales', { data: { title: 'live', unpublishAt: '2032-01-03T00:00:00Z' } });
    const times = { publishAt: '2032-01-02T00:00:00Z', unpublishAt: '2032-01-04T00:00:00Z' };
    const path = `/api/tales/${String(body.data.id)}?status=draft`;
    expect((await serving.call('PUT', path, { data: { title: 'next', ...times } })).status).to.equal(200);
    const expected = ['publish next', 'unpublish live'];
    expect(await coming('super', '2032-01-01T00:00:00Z', '2032-02-01T00:00:00Z')).to.deep.equal(expected);
  });

  it('has what somebody may read', async () => {
    expect(await coming('reader')).to.deep.equal(['publish early', 'release spring', 'publish late']);
    expect(await coming('blind')).to.deep.equal(['release spring']);
    expect(await coming('mine')).to.deep.equal(['release spring']);
  });

  it('refuses other times', async () => {
    for (const query of [
      '',
      '?from=2031-05-01',
      `?from=${month[0]}`,
      `?from=${month[1]}&to=${month[0]}`,
      `?from=${month[0]}&to=2032-05-01T00:00:00Z`,
    ]) {
      const { status, body } = await send('super', 'GET', `/admin/api/calendar${query}`);
      expect(status, query).to.equal(400);
      expect(body.error.message, query).to.match(/from|to/);
    }
  });
});
