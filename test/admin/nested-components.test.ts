import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const text = { type: 'string' };
const part = (name: string) => ({ type: 'component', component: `part.${name}` });
const component = (name: string, attributes: object): TestModel => ({
  uid: `part.${name}`,
  info: { displayName: name },
  attributes: { text, ...attributes },
});
const type = (name: string, attributes: object): TestModel =>
  collectionType(name, { text, ...attributes }, { options: { draftAndPublish: true } });
const levels = Array.from({ length: 14 }, (_, level) => level);
const next = (kind: string, level: number) => part(`${kind}${String(level + 1)}`);

/** Components that name themselves, which are served without that; that are nested deeply; and that have three others on each level. */
const models: readonly TestModel[] = [
  type('round', { self: part('self'), one: part('one'), zone: { type: 'dynamiczone', components: ['part.one', 'part.self'] } }),
  component('self', { self: part('self') }),
  component('one', { two: part('two') }),
  component('two', { one: part('one') }),
  type('deep', { inner: part('deep0') }),
  ...levels.map((level) => component(`deep${String(level)}`, level === 13 ? {} : { inner: next('deep', level) })),
  type('wide', { inner: part('wide0') }),
  ...levels.map((level) => {
    const inner = { a: next('wide', level), b: next('wide', level), c: next('wide', level) };
    const draft = { draft: { type: 'relation', relation: 'manyToOne', target: 'api::deep.deep' } };
    return component(`wide${String(level)}`, level === 13 ? draft : inner);
  }),
];

const nested = (depth: number): object => ({ text: String(depth), ...(depth < 13 && { inner: nested(depth + 1) }) });
const entries = '/content-manager/collection-types/api::';

describe('nested components in the panel', () => {
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    serving = await serveModels({ models, config: { admin: { rateLimit: { enabled: false } } } });
    const reading = ['round', 'deep', 'wide'].map(
      (name) => ({ action: 'read', subject: `api::${name}.${name}`, fields: ['inner', 'self', 'one'] }) as const,
    );
    send = await openAdministrators(serving, { reader: [reading] });
    const bodies = { round: { self: { text: 'x' } }, deep: { inner: nested(0) }, wide: { text: 'x' } };
    for (const [name, body] of Object.entries(bodies)) await send('super', 'POST', `${entries}${name}.${name}`, body);
  });
  after(() => serving.stop());

  /** An entry of a wide type would populate more than a request may. */
  const statuses = { round: 200, deep: 200, wide: 400 };
  for (const as of ['super', 'reader'])
    for (const [name, status] of Object.entries(statuses))
      for (const [path, expected] of [
        [`${entries}${name}.${name}`, 200],
        [`${entries}${name}.${name}/1`, status],
        [`${entries}${name}.${name}/1/actions/countDraftRelations`, status],
        [`${entries}${name}.${name}/actions/countManyEntriesDraftRelations?ids=1`, status],
        [`/content-manager/content-types/api::${name}.${name}/configuration`, 200],
      ] as const)
        it(`are answered to ${as} by ${path}: ${String(expected)}`, async () => {
          const answer = await send(as, 'GET', path);
          expect(answer.status, JSON.stringify(answer.body)).to.equal(expected);
          if (expected === 400) expect(answer.body.error.message).to.include('api.limits.boundSelections');
        });

  it('are named as a whole by permissions if they have many paths', async () => {
    const { data } = (await send('super', 'GET', '/admin/users/me/permissions')).body;
    const fields = data
      .filter(({ action }: { action: string }) => action === 'plugin::content-manager.explorer.read')
      .map(({ subject, properties }: { subject: string; properties: { fields: readonly string[] } }) => [
        subject,
        properties.fields.length,
      ]);
    expect(Object.fromEntries(fields)).to.include({ 'api::round.round': 4, 'api::deep.deep': 15 });
    expect(Object.fromEntries(fields)['api::wide.wide']).to.be.below(2_001);
    const wide = (await send('super', 'GET', '/admin/permissions')).body.data.sections.collectionTypes.subjects;
    expect(JSON.stringify(wide).length).to.be.below(100_000);
  });

  it('are not copied if they populate more than a request may', async () => {
    const { status, body } = await send('super', 'POST', `${entries}wide.wide/auto-clone/1`, {});
    expect(status).to.equal(400);
    expect(body.error.message).to.include('api.limits.boundSelections');
  });

  it('are copied at any depth', async () => {
    const copied = (await send('super', 'POST', `${entries}deep.deep/auto-clone/1`, {})).body;
    const textsIn = ({ text: own, inner }: { text: string; inner?: never }): readonly string[] =>
      inner === undefined ? [own] : [own, ...textsIn(inner)];
    expect(textsIn(copied.inner)).to.deep.equal(levels.map(String));
  });
});
