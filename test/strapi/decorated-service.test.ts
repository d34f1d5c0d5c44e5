import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const models: readonly TestModel[] = [
  {
    uid: 'api::note.note',
    kind: 'collectionType',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    attributes: { text: { type: 'string' }, seo: { type: 'component', component: 'basic.seo' } },
  },
  { uid: 'basic.seo', info: { displayName: 'Seo' }, attributes: { title: { type: 'string' } } },
];

interface Parameters {
  readonly data: Readonly<Record<string, unknown>>;
}

interface Service {
  readonly create: (uid: string, parameters: Parameters) => Promise<object>;
}

describe('members of strapi that plugins of Strapi v4 use', () => {
  let serving: ServedProject;
  let log: Log;
  before(async () => {
    log = await createLog();
    const files = { 'config/admin.js': "module.exports = { own: { depth: 2 }, auth: { secret: 'a'.repeat(40) } };" };
    serving = await serveProject(files, { models, logger: log.logger });
  });
  after(() => serving.stop());

  it('strapi.entityService.decorate replaces methods for code, one after the other, and tells that requests do not call them', async () => {
    const { entityService } = serving.strapi;
    for (const mark of ['a', 'b'])
      expect(
        entityService.decorate((service: Service) => ({
          create: (uid: string, { data }: Parameters) =>
            service.create(uid, { data: { ...data, text: `${String(data['text'])}${mark}` } }),
          ...(mark === 'b' && { wrapParams: () => ({}) }),
        })),
      ).to.have.property('decorate');
    expect(await entityService.create('api::note.note', { data: { text: '-' } })).to.include({ text: '-ba' });
    expect(await entityService.count('api::note.note')).to.equal(1);
    expect(() => entityService.decorate({})).to.throw('Decorator must be a function, received object');
    for (const text of [
      'strapi.entityService.create is replaced only for code',
      'strapi.entityService.wrapParams of a decorator',
    ])
      expect(
        log.lines.filter(({ msg }) => String(msg).startsWith(text)),
        text,
      ).to.have.length(1);
  });

  it('strapi.admin.config has the settings of config/admin', () => {
    expect(serving.strapi.admin.config).to.deep.include({ own: { depth: 2 } });
    expect(() => serving.strapi.admin.controllers as unknown).to.throw('is not offered');
  });

  it('queries of components are refused with what to do instead', () => {
    const { strapi } = serving;
    for (const query of [strapi.query, strapi.db.query, strapi.db.entityManager.getRepository])
      expect(() => (query as (uid: string) => unknown)('basic.seo')).to.throw(
        "strapi.db.query('basic.seo') is not offered: components are stored in their entries",
      );
  });
});
