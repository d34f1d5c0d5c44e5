import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const models: readonly TestModel[] = [
  {
    uid: 'api::ticket.ticket',
    kind: 'collectionType',
    info: { singularName: 'ticket', pluralName: 'tickets', displayName: 'Ticket' },
    attributes: {
      title: { type: 'string', required: true, minLength: 3 },
      code: { type: 'string', unique: true },
      state: { type: 'string', default: 'open' },
      places: { type: 'integer' },
      parts: { type: 'component', component: 'shop.part', repeatable: true },
      main: { type: 'relation', relation: 'oneToOne', target: 'api::ticket.ticket' },
    },
  },
  {
    uid: 'shop.part',
    collectionName: 'components_shop_parts',
    info: { displayName: 'Part' },
    attributes: { name: { type: 'string', required: true } },
  },
];

type Method = 'validateEntityCreation' | 'validateEntityUpdate';
const creation = 'validateEntityCreation';
const update = 'validateEntityUpdate';
const complete = { title: 'First', code: 'b', state: 'new', parts: [] };

/** Accepted data, with what is returned. Tickets 1 and 2 have the codes a and z. */
const accepted: readonly (readonly [method: Method, input: readonly unknown[], returned: object])[] = [
  [creation, [complete], complete],
  [creation, [{ title: 'First' }], { title: 'First', state: 'open', parts: [] }],
  [creation, [{ title: 'First', state: null, parts: null }], { title: 'First', state: null, parts: null }],
  [creation, [{ ...complete, createdBy: 4, more: 1 }], { ...complete, createdBy: 4, more: 1 }],
  [creation, [{ ...complete, main: 1 }], { ...complete, main: 1 }],
  [creation, [{}, { isDraft: true }], { state: 'open', parts: [] }],
  [creation, [{ title: 'x' }, { isDraft: true }], { title: 'x', state: 'open', parts: [] }],
  [creation, [{ ...complete, code: 'a' }, { isDraft: false }, { id: 1 }], { ...complete, code: 'a' }],
  [update, [{}], {}],
  [update, [{ places: 3 }], { places: 3 }],
  [update, [{ code: 'a' }, {}, { id: 1, code: 'a' }], { code: 'a' }],
  [update, [{ code: 'a' }, undefined, { id: '1' }], { code: 'a' }],
  [update, [{ title: null }, { isDraft: true }], { title: null }],
];

/** Refused data, with the paths and messages of the errors. */
const refused: readonly (readonly [method: Method, input: readonly unknown[], errors: readonly string[]])[] = [
  [creation, [{}], ['title: title must be defined.']],
  [
    creation,
    [{ title: 'x', places: 'many' }],
    ['title: title must be at least 3 characters', 'places: places must be a `number`'],
  ],
  [creation, [{ ...complete, code: 'a' }], ['code: This attribute must be unique']],
  [creation, [{ code: 'a' }, { isDraft: true }], ['code: This attribute must be unique']],
  [creation, [{ code: 'a' }], ['title: title must be defined.', 'code: This attribute must be unique']],
  [creation, [{ ...complete, parts: [{}] }], ['parts.0.name: parts[0].name must be defined.']],
  [creation, [{ ...complete, main: 9 }], [': 1 relation(s) of type api::ticket.ticket associated with this entity do not exist']],
  [update, [{ title: null }], ['title: title must be a `string` type']],
  [update, [{ code: 'a' }], ['code: This attribute must be unique']],
  [update, [{ code: 'z' }, {}, { id: 1, code: 'a' }], ['code: This attribute must be unique']],
];

interface Refusal extends Error {
  readonly details: { readonly errors: readonly { readonly path: readonly string[]; readonly message: string }[] };
}

describe('strapi.entityValidator', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject({}, { models });
    const tickets = serving.strapi.query('api::ticket.ticket');
    await tickets.createMany({ data: ['a', 'z'].map((code) => ({ title: 'Stored', code })) });
  });
  after(() => serving.stop());

  const model = () => serving.strapi.getModel('api::ticket.ticket');
  const validate = (method: Method, input: readonly unknown[]): Promise<object> =>
    serving.strapi.entityValidator[method](model(), ...input);
  const errorOf = async (work: Promise<unknown>): Promise<Refusal> => {
    const error: unknown = await work.then(
      () => new Error('was accepted'),
      (caught: unknown) => caught,
    );
    return error as Refusal; // what the tests look at
  };

  for (const [method, input, returned] of accepted)
    it(`${method} accepts ${JSON.stringify(input)}`, async () => {
      expect(await validate(method, input)).to.deep.equal(returned);
    });

  for (const [method, input, errors] of refused)
    it(`${method} refuses ${JSON.stringify(input)}`, async () => {
      const error = await errorOf(validate(method, input));
      expect(error).to.have.property('name', 'ValidationError');
      const found = error.details.errors.map(({ path, message }) => `${path.join('.')}: ${message}`);
      expect(found.length).to.equal(errors.length);
      for (const [index, expected] of errors.entries()) expect(found[index]).to.include(expected);
    });

  it('throws the error of the write', async () => {
    const data = { title: 'x', code: 'a', places: 'many' };
    const error = await errorOf(validate(creation, [data]));
    const ofWrite = await errorOf(serving.strapi.entityService.create('api::ticket.ticket', { data }));
    expect([error.message, error.details]).to.deep.equal([ofWrite.message, ofWrite.details]);
  });

  for (const data of [undefined, null, 'title', [{ title: 'First' }]])
    it(`refuses ${JSON.stringify(data)} as data`, async () => {
      expect(await errorOf(validate(creation, [data]))).to.have.property('name', 'ValidationError');
    });

  it('stores nothing, and leaves the data unchanged', async () => {
    const data = { title: 'First' };
    await validate(creation, [data]);
    expect(data).to.deep.equal({ title: 'First' });
    expect(await serving.strapi.query('api::ticket.ticket').count()).to.equal(2);
  });

  it('takes the models of contentTypes and contentType, and refuses others', async () => {
    const { entityValidator, contentType, contentTypes } = serving.strapi;
    for (const known of [contentTypes['api::ticket.ticket'], contentType('api::ticket.ticket')])
      expect(await entityValidator.validateEntityUpdate(known, { places: 1 })).to.deep.equal({ places: 1 });
    for (const unknown of [undefined, { uid: 'api::none.none' }])
      expect(await errorOf(entityValidator.validateEntityUpdate(unknown, {}))).to.match(/Unknown content type/);
  });
});
