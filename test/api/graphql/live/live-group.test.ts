import { expect } from 'chai';
import type { LiveAnswer } from '#api/graphql/live/live-answer.js';
import { LiveGroup } from '#api/graphql/live/live-group.js';
import type { LiveQuery, Reading } from '#api/graphql/live/live-query.js';
import { ReadLog } from '#store/send/database.js';

type Parts = ConstructorParameters<typeof LiveGroup>[0];

describe('the first reading of a live query', () => {
  const changes = { isListening: false, isUnchanged: () => true } as unknown as Parts['changes'];
  const registry = {};

  it('is shown with the rights in force, also if they change while they are compared', async () => {
    const group = new LiveGroup({ changes, limiter: null, watch: () => undefined, run: (work) => work() });
    const [full, fewer] = [{ data: { rights: 'full' } }, { data: { rights: 'fewer' } }];
    let access = full;
    const shown = await new Promise((resolve) => {
      const query = {
        client: { call: { caller: {} }, sender: {}, fail: resolve },
        read: async (): Promise<Reading> => {
          if (access === full) void group.recheck(); // a change that is not about this caller
          return Promise.resolve({ result: access, reads: new ReadLog(0), access, registry });
        },
        identify: async () => {
          const found = { caller: { access }, content: { bind: { registry } } };
          if (access === full) {
            access = fewer;
            void group.recheck();
          }
          return Promise.resolve(found);
        },
        show: (answer: LiveAnswer) => {
          resolve(answer.messageAfter(null, 1));
        },
      } as unknown as LiveQuery;
      group.join(query);
    });
    expect(shown).to.deep.equal({ ...fewer, revision: 1 });
  });
});
