import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { ownModels, ownValues } from '../support/own-names.js';
import { type Answer, serveModels, type Serving } from '../support/serve.js';

const place = 'api::place.place';
const places = `/content-manager/collection-types/${place}`;
const fields = ['name', 'locale', 'localizations', 'publishedAt', 'part.createdAt', 'part.createdBy', 'part.locale'];

/** The values that `fields` name. */
const permitted = {
  ...{ ...ownValues, part: undefined },
  part: { createdAt: '2001-02-03', createdBy: 'Ada', locale: 'en' },
};
const { part: permittedPart, ...permittedValues } = permitted;

const token = 'admin-token-of-the-tests-0123456789abcdef';

describe('attributes of a project with the names of attributes that the service adds to other types', () => {
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    serving = await serveModels({ models: ownModels, config: { admin: { token } } });
    const rights = (['create', 'read', 'update'] as const).map((action) => ({ action, subject: place, fields }));
    const few = (['create', 'read', 'update'] as const).map((action) => ({ action, subject: place, fields: ['name'] }));
    send = await openAdministrators(serving, { editor: [rights], other: [few] });
  });
  after(() => serving.stop());

  const created = async (as = 'super'): Promise<Answer> => {
    const answer = await send(as, 'POST', places, ownValues);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer;
  };
  const expectOwn = ({ status, body }: Answer, values: object = ownValues): void => {
    const { part, ...own } = values as typeof ownValues;
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.deep.include(own);
    expect(body.part).to.deep.include(part);
  };

  it('are stored by a create, changed by an update and copied by a clone in the panel', async () => {
    const first = await created();
    expectOwn(first);
    const id = String(first.body.id);
    const changed = {
      ...ownValues,
      locale: 'de_DE',
      publishedAt: null,
      part: { ...ownValues.part, createdBy: 'Bo', locale: 'x' },
    };
    expectOwn(
      await send('super', 'PUT', `${places}/${id}`, { ...changed, part: { ...changed.part, id: first.body.part.id } }),
      changed,
    );
    expectOwn(await send('super', 'POST', `${places}/clone/${id}`, {}), changed);
    expect((await send('super', 'POST', places, { name: 'x' })).status).to.equal(400);
    expect((await send('super', 'POST', places, { ...ownValues, locale: null, publishedAt: null })).status).to.equal(400);
  });

  it('keep their links', async () => {
    const [one, two] = [await created(), await created()].map(({ body }) => Number(body.id));
    const links = [{ createdBy: { connect: [{ id: one }] }, localizations: { connect: [{ id: two }] } }];
    const { body } = await send('super', 'POST', places, { ...ownValues, links });
    expect(body.links[0]).to.deep.include({ createdBy: { count: 1 }, localizations: { count: 1 } });
    const rest = await serving.call('GET', `/api/places/${String(body.id)}?populate[links][populate]=*`);
    const { createdBy, localizations } = rest.body.data.attributes.links[0];
    expect([createdBy.data[0].id, localizations.data[0].id]).to.deep.equal([one, two]);
    expect((await serving.call('GET', `/api/places/${String(body.id)}?populate=deep`)).status).to.equal(200);
  });

  it('are named by permissions', async () => {
    expectOwn(await created('editor'), { ...permittedValues, part: permittedPart });
    const refused = await send('other', 'POST', places, ownValues);
    expect(refused.status).to.equal(400); // without the required locale
    const { body } = await send('super', 'GET', `/admin/permissions`);
    const { subjects } = body.data.sections.collectionTypes as { subjects: { uid: string; properties: unknown[] }[] };
    const named = subjects.find(({ uid }) => uid === place);
    expect(JSON.stringify(named)).to.include('"value":"localizations"').and.include('"value":"updatedBy"');
  });

  it('are fields of forms', async () => {
    const view = (await send('super', 'GET', `/content-manager/content-types/${place}/configuration`)).body.data;
    const names = (layouts: { edit: { name: string }[][] }): string[] => layouts.edit.flat().map(({ name }) => name);
    expect(names(view.contentType.layouts)).to.include.members(['locale', 'localizations', 'publishedAt']);
    expect(names(view.components['shared.part'].layouts)).to.have.members(Object.keys(ownValues.part));
  });

  it('are restored with a version', async () => {
    const id = String((await created()).body.id);
    await send('super', 'PUT', `${places}/${id}`, { locale: 'x', localizations: null, publishedAt: null, part: null });
    const restored = await fetch(`${serving.server.url}/admin/api/history/${place}/${id}/1/restore`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(restored.status, await restored.text()).to.equal(200);
    expectOwn(await send('super', 'GET', `${places}/${id}`));
  });

  it('are accepted and answered over REST and GraphQL', async () => {
    const data = { ...ownValues, publishedAt: null };
    const rest = await serving.call('POST', '/api/places?populate=*', { data });
    expect(rest.status, JSON.stringify(rest.body)).to.equal(200);
    const { part, ...own } = data;
    expect(rest.body.data.attributes).to.deep.include(own);
    expect(rest.body.data.attributes.part).to.deep.include(part);
    const lacking = await serving.call('POST', '/api/places', { data: { name: 'x', publishedAt: null } });
    expect(lacking.status).to.equal(400);
    const query = `mutation ($data: PlaceInput!) { createPlace(data: $data) { data { attributes {
      locale localizations publishedAt part { createdAt createdBy updatedBy publishedAt locale localizations } } } } }`;
    const graphql = await serving.call('POST', '/graphql', { query, variables: { data } });
    const { attributes } = graphql.body.data.createPlace.data;
    expect(attributes).to.deep.include({ locale: 'fr_FR', localizations: ['home', 'abroad'], publishedAt: null });
    expect(attributes.part).to.deep.include({ createdAt: '2001-02-03', createdBy: 'Ada', updatedBy: 7, locale: 'en' });
  });
});
