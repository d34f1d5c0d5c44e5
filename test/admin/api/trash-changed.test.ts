import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import type { TestModel } from '../../support/serve.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { changingModels } from './changing-models.js';

const note = 'api::note.note';
/** A model is sent with its uid in the path alone. */
const sent = (model: TestModel): object => ({ ...model, uid: undefined });
const noteOf = (attributes: object): object => sent(collectionType('note', attributes, { options: { trash: {} } }));
const part = (attributes: object) => ({ info: { displayName: 'part' }, attributes });
const link = (target: string, more: object = {}) => ({ type: 'relation', relation: 'manyToOne', target, ...more });
const hash = /\$2[aby]\$/;

describe('a deleted entry that is restored after the model has changed', () => {
  let server: ServingAccounts;
  let token = '';
  const { put, api } = changingModels(
    () => server,
    () => token,
  );
  const rows = (filter: object = {}) => server.database.db.collection('_trash').find(filter).toArray();
  const discard = async (data: object): Promise<number> => {
    const { id } = await api('POST', '/notes', { data });
    await api('DELETE', `/notes/${String(id)}`);
    return id as number;
  };
  const restore = async (id: number): Promise<readonly string[]> => {
    const { status, body } = await server.admin('POST', `/trash/${note}/${String(id)}/restore`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data.leftOut as string[];
  };
  before(async () => {
    server = await serveAccounts({ models: [] });
    token = (await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey;
    await put('base.part', part({ label: { type: 'string' }, kind: { type: 'string' }, lost: { type: 'string' } }));
    for (const name of ['mark', 'other'])
      await put(`api::${name}.${name}`, sent(collectionType(name, { name: { type: 'string' } })));
    await put(note, noteOf({ title: { type: 'string' } }));
    await api('POST', '/marks', { data: { name: 'm' } });
    await api('POST', '/others', { data: { name: 'o' } });
  });
  after(() => server.stop());

  it('has converted values, and leaves out what does not fit, by its paths', async () => {
    const one = { type: 'component', component: 'base.part' };
    await put(
      note,
      noteOf({
        ...{ title: { type: 'string' }, size: { type: 'integer' }, ratio: { type: 'float' }, gone: { type: 'string' } },
        ...{ one, list: { ...one, repeatable: true }, mate: link('api::mark.mark') },
      }),
    );
    const id = await discard({
      ...{ title: 'First', size: 5, ratio: 1.5, gone: 'x', mate: 1 },
      ...{ one: { label: 'one', lost: 'y' }, list: [{ label: 'l1' }, { label: 'l2' }] },
    });
    await put('base.part', part({ label: { type: 'string' }, kind: { type: 'string' } }));
    await put(
      note,
      noteOf({
        ...{ title: { type: 'string' }, size: { type: 'string' }, ratio: { type: 'integer' } },
        ...{ one: { ...one, repeatable: true }, list: one, mate: link('api::other.other') },
        wanted: { type: 'string', required: true },
      }),
    );
    const [listed] = (await server.admin('GET', `/trash/${note}`)).body.data;
    expect(listed.entry).to.include({ title: 'First', size: '5', ratio: null }).and.not.have.property('gone');
    expect(await restore(id)).to.have.members(['ratio', 'gone', 'one.lost', 'list', 'mate']);
    const { attributes } = await api('GET', `/notes/${String(id)}?populate=*`);
    expect(attributes).to.include({ title: 'First', size: '5', ratio: null, list: null, wanted: null });
    expect(attributes.one.map(({ label }: { label: string }) => label)).to.deep.equal(['one']);
    expect(attributes.mate.data).to.equal(null);
  });

  it('keeps no hash of what is no password any more, and no text of what is one', async () => {
    await put(note, noteOf({ secret: { type: 'password' }, plain: { type: 'string' } }));
    const id = await discard({ secret: 'Passw0rd', plain: 'in the clear' });
    expect(JSON.stringify(await rows({ of: id })))
      .to.match(hash)
      .and.contain('in the clear');
    await put(note, noteOf({ secret: { type: 'string' }, plain: { type: 'password' } }));
    expect(JSON.stringify(await rows({ of: id })))
      .to.not.match(hash)
      .and.not.contain('in the clear');
    await restore(id);
    expect((await api('GET', `/notes/${String(id)}`)).attributes.secret).to.equal(null);
  });

  it('has values under the new names of attributes, in entries that link to it too', async () => {
    const holder = 'api::holder.holder';
    const model = sent(collectionType('holder', { note: link(note) }));
    await put(note, noteOf({ title: { type: 'string' } }));
    await put(holder, model);
    const { id } = await api('POST', '/notes', { data: { title: 'named' } });
    const by = await api('POST', '/holders', { data: { note: id } });
    await api('DELETE', `/notes/${String(id)}`);
    await put(note, noteOf({ heading: { type: 'string', renamedFrom: 'title' } }));
    await put(holder, { ...model, attributes: { about: { ...link(note), renamedFrom: 'note' } } });
    const served = async () => {
      for (;;) {
        const { body } = await server.admin('GET', `/trash/${note}`);
        const [{ entry }] = body.data;
        if ('heading' in entry) return entry.heading as string;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    expect(await served()).to.equal('named');
    expect(await restore(id)).to.deep.equal([]);
    const shown = await api('GET', `/holders/${String(by.id)}?populate=*`);
    expect((shown.attributes.about ?? shown.attributes.note).data.attributes.heading).to.equal('named');
  });
});
