import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { collectionType } from '../support/collection-type.js';
import { serveModels, type Serving } from '../support/serve.js';

const uid = 'api::cafe.cafe';
const token = 'admin-token-of-the-tests-0123456789abcdef';

describe('points in the panel', () => {
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    const models = [collectionType('cafe', { name: { type: 'string' }, at: { type: 'point' } })];
    serving = await serveModels({ models, config: { admin: { token } } });
    send = await openAdministrators(serving, {});
  });
  after(() => serving.stop());

  it('are shown as JSON, and may be changed', async () => {
    const { body } = await send('super', 'GET', `/content-manager/content-types/${uid}/configuration`);
    expect(JSON.stringify(body.data.contentType.layouts.edit)).to.include('"at"');
    const types = await send('super', 'GET', '/content-manager/content-types');
    const cafe = types.body.data.find((one: { uid: string }) => one.uid === uid);
    expect(cafe.attributes.at.type).to.equal('json');
    const path = `/content-manager/collection-types/${uid}`;
    const made = await send('super', 'POST', path, { name: 'a', at: { lng: 1, lat: 2 } });
    expect(made.body.at, JSON.stringify(made.body)).to.deep.equal({ lng: 1, lat: 2 });
    const changed = await send('super', 'PUT', `${path}/${String(made.body.id)}`, { at: { lng: 3, lat: 4 } });
    expect(changed.body.at).to.deep.equal({ lng: 3, lat: 4 });
    expect((await send('super', 'PUT', `${path}/${String(made.body.id)}`, { at: { lng: 300, lat: 4 } })).status).to.equal(400);
  });

  it('keep their type in the content-type builder', async () => {
    const { body } = await send('super', 'GET', `/content-type-builder/content-types/${uid}`);
    expect(body.data.schema.attributes.at.type).to.equal('point');
    const { name, at } = body.data.schema.attributes;
    const contentType = { ...body.data.schema, attributes: { name, at, more: { type: 'string' } } };
    const path = `/content-type-builder/content-types/${uid}`;
    const changed = await send('super', 'PUT', path, { contentType, components: [] });
    expect(changed.status, JSON.stringify(changed.body)).to.equal(201);
    expect((await send('super', 'GET', path)).body.data.schema.attributes).to.deep.include({ at, more: { type: 'string' } });
  });
});
