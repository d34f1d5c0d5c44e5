import { expect } from 'chai';
import type { ServingAccounts } from '../../content/rights/serve-accounts.js';

/** Returns functions that change a model, and send a request of a caller. Both expect success. */
export const changingModels = (server: () => ServingAccounts, token: () => string) => ({
  put: async (uid: string, model: object): Promise<void> => {
    const answer = await server().admin('PUT', `/models/${uid}`, model);
    expect(answer.status, JSON.stringify(answer.body)).to.be.below(300);
  },
  api: async (method: string, path: string, body?: object) => {
    const answer = await server().as(token(), method, `/api${path}`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body.data;
  },
});
