import { expect } from 'chai';
import { serveModels, type Serving } from '../../support/serve.js';

const model = {
  uid: 'api::day.day',
  kind: 'collectionType',
  collectionName: 'days',
  info: { singularName: 'day', pluralName: 'days', displayName: 'Day' },
  attributes: {
    at: { type: 'datetime' },
    stamp: { type: 'timestamp' },
    day: { type: 'date' },
    begun: { type: 'datetime', default: '0002-01-01T00:00:00Z' },
  },
};

/** A value of each attribute, and what is read. */
const days: readonly (readonly [at: string, day: string, read: string])[] = [
  ['0000-02-29T00:00:00Z', '0000-02-29', '0000-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['0004-02-29T23:30:00+01:00', '0004-02-29', '0004-02-29T22:30:00.000Z'],
  ['0099-12-31T23:59:59.999Z', '0099-12-31', '0099-12-31T23:59:59.999Z'],
  ['0100-01-01T00:00:00Z', '0100-01-01', '0100-01-01T00:00:00.000Z'],
];

const noDays = ['0001-02-29', '0100-02-29', '0000-02-30', '1900-02-29'];

describe('the years 0 to 99', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: [model] });
  });
  after(() => serving.stop());

  const graphql = async (query: string, variables: object): Promise<unknown> => {
    const { body } = await serving.call('POST', '/graphql', { query, variables });
    expect(body.errors).to.equal(undefined);
    return body.data;
  };
  const mutation = 'mutation ($data: DayInput!) { createDay(data: $data) { data { attributes { at stamp day } } } }';
  const list = 'query ($at: DateTime, $day: Date) { days(filters: { at: { eq: $at }, day: { eq: $day } }) { data { id } } }';

  for (const [at, day, read] of days)
    it(`are stored and found: ${at}`, async () => {
      const data = { at, stamp: at, day };
      const { body } = await serving.call('POST', '/api/days', { data });
      const { id, attributes } = body.data;
      expect(attributes).to.include({ at: read, stamp: String(Date.parse(read)), day, begun: '0002-01-01T00:00:00.000Z' });
      for (const filter of [
        `[at][$eq]=${encodeURIComponent(at)}`,
        `[stamp][$eq]=${encodeURIComponent(at)}`,
        `[day][$eq]=${day}`,
        `[at][$containsi]=${read.slice(0, 10)}`,
      ])
        expect(
          (await serving.call('GET', `/api/days?filters${filter}`)).body.data.map((row: { id: number }) => row.id),
          filter,
        ).to.include(id);
      expect(await graphql(list, { at, day })).to.deep.equal({ days: { data: [{ id: String(id) }] } });
      expect(await graphql(mutation, { data })).to.deep.equal({
        createDay: { data: { attributes: { at: read, stamp: read, day } } },
      });
    });

  for (const at of ['0000-01-01T00:00:00+14:00', '9999-12-31T23:59:59-14:00'])
    it(`of other length are refused: ${at}`, async () => {
      expect((await serving.call('POST', '/api/days', { data: { at } })).status).to.equal(400);
    });

  for (const day of noDays)
    it(`have no day ${day}`, async () => {
      for (const data of [{ day }, { at: day }, { at: `${day}T00:00:00Z` }])
        expect((await serving.call('POST', '/api/days', { data })).status, JSON.stringify(data)).to.equal(400);
    });
});
