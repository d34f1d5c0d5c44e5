import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';

const title = { title: { type: 'string', required: true } };
const models = (options: object) => [
  collectionType('page', title, { options: { draftAndPublish: true, ...options } }),
  { ...collectionType('home', title, { options: { draftAndPublish: true, ...options } }), kind: 'singleType' },
  collectionType('note', title, { options: { draftAndPublish: true } }),
];

interface Described {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into documents of every form
  readonly document: any;
  readonly types: string;
}

describe('the description of drafts beside published entries', () => {
  const describeModels = async (options: object): Promise<Described> => {
    const serving: Serving = await serveModels({ models: models(options) });
    const document = (await serving.call('GET', '/api/openapi.json')).body;
    const types = await (await fetch(`${serving.server.url}/api/types.d.ts`)).text();
    await serving.stop();
    return { document, types };
  };

  it('has the parameter status on requests for these types alone', async () => {
    const { document } = await describeModels({ drafts: 'beside' });
    const named = Object.entries<Record<string, { parameters?: { name: string; schema: { enum: string[] } }[] }>>(document.paths)
      .flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, { parameters = [] }]) =>
          parameters.some(({ name, schema }) => name === 'status' && schema.enum.join() === 'draft,published')
            ? [`${method} ${path}`]
            : [],
        ),
      )
      .sort();
    expect(named).to.eql([
      'get /api/home',
      'get /api/pages',
      'get /api/pages/{id}',
      'post /api/pages',
      'put /api/home',
      'put /api/pages/{id}',
    ]);
  });

  it('changes nothing else', async () => {
    const [plain, beside] = [await describeModels({}), await describeModels({ drafts: 'beside' })];
    const without = JSON.stringify(beside.document, (_, value: unknown) =>
      Array.isArray(value) ? value.filter((one: { name?: string }) => one.name !== 'status') : value,
    );
    expect(JSON.parse(without)).to.eql(JSON.parse(JSON.stringify(plain.document)));
    expect(beside.types.replaceAll(/^ {2}drafts: "beside";\n/gm, '')).to.equal(plain.types);
    expect(beside.types.match(/drafts: "beside"/g)).to.have.length(2);
  });
});
