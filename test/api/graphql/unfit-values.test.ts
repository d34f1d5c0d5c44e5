import { expect } from 'chai';
import { serveModels, type Serving } from '../../support/serve.js';

/** What another program has stored in a file, and the message about it. */
const cases: readonly (readonly [name: string, stored: unknown, message: string])[] = [
  ...[null, 'x', NaN, [1], { a: 1 }, true, new Date(0)].map(
    (value) => ['size', value, 'Cannot return null for non-nullable field UploadFile.size.'] as const,
  ),
  ...['name', 'hash', 'mime', 'url', 'provider'].map(
    (name) => [name, 5, `Cannot return null for non-nullable field UploadFile.${name}.`] as const,
  ),
  ['width', 2 ** 40, 'Int cannot represent non 32-bit signed integer value: 1099511627776'],
];

const file = { name: 'a', hash: 'a', mime: 'a/b', size: 1, url: '/a', provider: 'local' };

describe('stored values that do not fit a field of GraphQL', () => {
  let serving: Serving;
  before(async () => {
    const files = cases.map(([name, value], index) => ({ _id: index + 1, ...file, [name]: value }));
    serving = await serveModels({ models: [], documents: { files } });
  });
  after(() => serving.stop());

  for (const [index, [name, value, message]] of cases.entries())
    for (const [way, fields] of [
      ['', name],
      [', executed by graphql-js', `${name} __proto__: __typename`],
    ] as const)
      it(`are no internal error: ${JSON.stringify(value)} in ${name}${way}`, async () => {
        const query = `{ uploadFile(id: ${String(index + 1)}) { data { id attributes { ${fields} } } } }`;
        const { status, body } = await serving.call('POST', '/graphql', { query });
        expect([status, body.errors.length]).to.deep.equal([200, 1]);
        expect([body.errors[0].message, body.errors[0].extensions.code]).to.deep.equal([message, 'UNFIT_VALUE']);
        expect(body.data.uploadFile.data.id).to.equal(String(index + 1));
      });
});
