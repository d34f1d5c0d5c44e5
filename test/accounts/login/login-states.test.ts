import { expect } from 'chai';
import { putLoginState, takeLoginState } from '#accounts/login/login-states.js';
import { inTransaction } from '#store/send/transaction.js';
import { serveModels, type Serving } from '../../support/serve.js';

describe('the state of a log-in', () => {
  let serving: Serving;
  before(async () => (serving = await serveModels({ models: [] })));
  after(() => serving.stop());

  it('is used only once, even if the transaction of the caller is rolled back', async () => {
    const { store } = serving.server.backend ?? expect.fail('no database');
    const { database } = store;
    await putLoginState(database, { _id: 'state', value: 1, expiresAt: new Date(Date.now() + 60_000) });
    const undone = inTransaction(database, async (inner) => {
      expect(await takeLoginState(inner, 'state')).to.equal(1);
      throw new Error('undo');
    });
    expect(await undone.catch((error: unknown) => (error as Error).message)).to.equal('undo');
    expect(await takeLoginState(database, 'state')).to.equal(null);
  });
});
