import { expect } from 'chai';
import { ApiError } from '#base/errors.js';
import { checkView } from '#admin/content-manager/check-view.js';
import type { Model } from '#model/schema/model.js';

const model = {
  uid: 'api::note.note',
  kind: 'collectionType',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'note' },
  attributes: { title: { type: 'string' } },
} as unknown as Model;

const many = Array.from({ length: 20_000 }, (_, index) => `unknown${String(index)}`);

describe('the configuration of a view', () => {
  let reads = 0;
  /** An object that counts what is read of it. */
  const counted = () =>
    new Proxy(
      {},
      {
        get: () => {
          reads += 1;
          return undefined;
        },
      },
    );

  const bodies: Readonly<Record<string, readonly [body: () => object, problem: string]>> = {
    'unknown names': [
      () => ({ metadatas: Object.fromEntries(many.map((name) => [name, counted()])) }),
      'metadatas must name attributes of the model',
    ],
    'columns of a list': [
      () => ({ layouts: { list: many.map(counted), edit: [] } }),
      'layouts.list must name an attribute only once',
    ],
    'rows of a form': [
      () => ({ layouts: { list: [], edit: many.map(() => [counted()]) } }),
      'layouts.edit must name an attribute only once',
    ],
    'fields of a row': [
      () => ({ layouts: { list: [], edit: [many.map(counted)] } }),
      'layouts.edit must name an attribute only once',
    ],
  };
  for (const [title, [body, problem]] of Object.entries(bodies))
    it(`is refused because of its names before anything else is read: 20,000 ${title}`, async () => {
      reads = 0;
      const error = await checkView(model, body()).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ApiError).and.include({ status: 400 });
      expect((error as ApiError).details).to.deep.include({ errors: [problem] });
      expect(reads).to.equal(0);
    });

  it('may name the attributes of the model', async () => {
    const metadatas = { title: { edit: { label: 'Title', editable: true }, list: { label: 'Title', sortable: true } } };
    expect(await checkView(model, { metadatas })).to.deep.equal({ metadatas });
  });
});
