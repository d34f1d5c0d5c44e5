import { expect } from 'chai';
import { grantActions } from '#accounts/roles/grant-actions.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { collectionType } from '../support/collection-type.js';
import { serveModels, type Serving } from '../support/serve.js';

const action = 'api::note.note.aggregate';

describe('an action on a type that Strapi v4 does not have', () => {
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    serving = await serveModels({ models: [collectionType('note', { title: { type: 'string' } })] });
    send = await openAdministrators(serving, {});
  });
  after(() => serving.stop());

  it('is not listed by the panel, and kept when it saves the role', async () => {
    const { backend } = serving.server;
    if (backend === null) throw new Error('the test database did not answer');
    await grantActions(1, [action], backend.store);
    const { body } = await send('super', 'GET', '/users-permissions/roles/1');
    const { controllers } = body.role.permissions['api::note'];
    expect(Object.keys(controllers.note)).to.include('find').and.not.include('aggregate');
    const saved = await send('super', 'PUT', '/users-permissions/roles/1', {
      name: 'Authenticated',
      permissions: body.role.permissions,
    });
    expect(saved.status).to.equal(200);
    const granted = await serving.database.db.collection('up_permissions').find({ action }).toArray();
    expect(granted).to.have.length(1);
  });
});
