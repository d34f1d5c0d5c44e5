import { expect } from 'chai';
import { beginChange } from '#admin/api/admin-call.js';
import { remove } from '#content/remove.js';
import { createContext } from '#content/create-context.js';
import { fullAccess } from '#model/query/access.js';
import { emptyQuery } from '#model/query/ast.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { typeOf } from '../../support/things.js';

const note = {
  uid: 'api::note.note',
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  attributes: { text: { type: 'string' } },
};

describe('a request of several commits', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: [note], documents: { notes: [1, 2].map((_id) => ({ _id })) } });
  });
  after(() => serving.stop());

  /** Returns the recorded outcome of a request that deletes these notes, each in its own commit, and then ends like this. */
  async function outcomeOf(ids: readonly number[], status: number): Promise<unknown> {
    const { backend, config } = serving.server;
    if (backend === null) throw new Error('the test database did not answer');
    const content = createContext(config, backend, fullAccess);
    const actor = { kind: 'token', tokenId: 1, who: 'test' } as const;
    const record = { ...actor, at: new Date(), ip: '::1', what: `DELETE ${ids.join()} ${String(status)}`, body: null };
    const { commit, end } = await beginChange(record, content);
    const type = typeOf(note.uid, content.bind.registry);
    for (const id of ids) await commit((inner) => remove({ type, id }, emptyQuery, inner));
    await end(status);
    const stored = await serving.database.db.collection('_audit').findOne({ what: record.what });
    return { status: stored?.['status'] as unknown, changed: stored?.['changed'] as unknown };
  }

  it('is recorded with its outcome and the writes that were committed before', async () => {
    expect(await outcomeOf([], 400)).to.deep.equal({ status: 400, changed: false });
    expect(await outcomeOf([1], 500)).to.deep.equal({ status: 500, changed: true });
    expect(await outcomeOf([2], 200)).to.deep.equal({ status: 200, changed: true });
    expect(await serving.database.db.collection('notes').countDocuments()).to.equal(0);
  });
});
