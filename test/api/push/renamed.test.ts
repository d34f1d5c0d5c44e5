import { expect } from 'chai';
import { storeModels, type TestModel } from '../../support/serve.js';
import { pushModels, servePush, type ServingPush } from './push-kit.js';

describe('a push under names of attributes that are renamed', function () {
  this.timeout(30_000);
  let service: ServingPush;
  before(async () => {
    service = await servePush();
    const article = pushModels.find(({ uid }) => uid === 'api::article.article') as TestModel;
    const { views, secret, ...others } = article.attributes as Readonly<Record<string, object>>;
    const attributes = { ...others, visits: { ...views, renamedFrom: 'views' }, hint: { ...secret, renamedFrom: 'secret' } };
    await storeModels(service.database, [{ ...article, attributes }]);
    const { models } = service.server.backend ?? {};
    do await models?.load();
    while (models?.renames.moving().size !== 0);
  });
  after(() => service.stop());

  it('either name can be pushed, and is answered under the present one', async () => {
    const id = await service.make('articles', { visits: 1 });
    const [first, second] = await service.push(
      service.full,
      { op: 'update', type: 'articles', id, increment: { views: 2 } },
      { op: 'update', type: 'articles', id, set: { visits: { from: 3, to: 10 } } },
    );
    expect(first?.attributes).to.include({ visits: 3 }).and.not.have.property('views');
    expect(second?.attributes).to.include({ visits: 10 });
    const conflict = await service.pushOne({ op: 'update', type: 'articles', id, set: { views: { from: 3, to: 4 } } });
    expect(conflict).to.deep.include({ status: 'conflict', conflicts: { views: { from: 3, mine: 4, theirs: 10 } } });
  });

  it('one write cannot have both names, because only one of the values could be stored', async () => {
    const id = await service.make('articles', { visits: 1 });
    for (const parts of [{ increment: { views: 2, visits: 3 } }, { increment: { views: 2 }, set: { visits: { to: 5 } } }]) {
      const { status, error } = await service.pushOne({ op: 'update', type: 'articles', id, ...parts });
      expect(status).to.equal('refused');
      expect(error).to.include({ status: 400 });
      expect(error?.message).to.match(/is another name of/);
    }
    expect(await service.read('articles', id)).to.include({ visits: 1 });
  });

  it('the schema says for which attributes other names stand, of those that the caller may see', async () => {
    const { body } = await service.as(service.full, 'GET', '/api/sync/schema?types=articles,tags');
    expect(body.data.articles).to.include({ visits: 'scalar' }).and.not.have.any.keys('views', 'hint');
    expect(body.meta).to.deep.equal({ renamed: { articles: { views: 'visits' } } });
    expect((await service.as(service.full, 'GET', '/api/sync/schema?types=tags')).body.meta).to.deep.equal({});
  });
});
