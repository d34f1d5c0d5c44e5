import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { collectionType } from '../support/collection-type.js';
import { serveModels, type Serving } from '../support/serve.js';

const hidden = { pluginOptions: { 'content-manager': { visible: false } } };
const attributes = { name: { type: 'string' } };

const ofPlugin = (name: string, rest: object = {}) => ({
  ...collectionType(name, attributes, rest),
  uid: `plugin::menus.${name}`,
});

/** Types, and whether the content manager shows them. */
const types: readonly (readonly [uid: string, isShown: boolean])[] = [
  ['api::page.page', true],
  ['api::secret.secret', false],
  ['plugin::menus.audience', true],
  ['plugin::menus.item', false],
  ['plugin::users-permissions.user', true],
  ['plugin::users-permissions.role', false],
  ['plugin::upload.file', false],
  ['plugin::i18n.locale', false],
];

describe('types in the content manager of the panel', () => {
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    const models = [
      collectionType('page', attributes),
      collectionType('secret', attributes, hidden),
      ofPlugin('audience'),
      ofPlugin('item', hidden),
    ];
    serving = await serveModels({ models });
    send = await openAdministrators(serving, {
      editor: [[{ action: 'read', subject: 'plugin::menus.audience', fields: ['name'] }]],
    });
  });
  after(() => serving.stop());

  for (const [uid, isShown] of types)
    it(`${uid} is ${isShown ? '' : 'not '}shown`, async () => {
      const { body } = await send('super', 'GET', '/content-manager/content-types');
      const described = (body.data as { uid: string; isDisplayed: boolean }[]).find((type) => type.uid === uid);
      expect(described?.isDisplayed ?? false).to.equal(isShown);
      const { status } = await send('super', 'GET', `/content-manager/collection-types/${uid}`);
      expect(status).to.equal(isShown ? 200 : 403);
      const { body: rights } = await send('super', 'GET', '/admin/permissions');
      const subjects = (rights.data.sections.collectionTypes.subjects as { uid: string }[]).map((subject) => subject.uid);
      expect(subjects.includes(uid)).to.equal(isShown);
    });

  it('a role may edit entries of a plugin', async () => {
    const { body } = await send('super', 'POST', '/content-manager/collection-types/plugin::menus.audience', { name: 'Kids' });
    expect(body).to.include({ name: 'Kids' });
    const list = await send('editor', 'GET', '/content-manager/collection-types/plugin::menus.audience');
    expect([list.status, list.body.results[0].name]).to.deep.equal([200, 'Kids']);
    expect((await send('editor', 'GET', '/content-manager/collection-types/api::page.page')).status).to.equal(403);
  });

  it('the builder lists no types of plugins', async () => {
    const { body } = await send('super', 'GET', '/content-type-builder/content-types/plugin::menus.audience');
    expect(body.data.schema.visible).to.equal(false);
  });
});
