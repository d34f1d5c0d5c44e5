import { expect } from 'chai';
import { servePush, type ServingPush } from './push-kit.js';

describe('the schema of synced types', () => {
  let service: ServingPush;
  let ann: { readonly id: number; readonly jwt: string };
  before(async () => {
    service = await servePush();
    ann = await service.addUser('ann');
  });
  after(() => service.stop());

  it('the schema has the attributes that the caller may see', async () => {
    const schema = async (query = '', token: string | null = service.full) =>
      (await service.as(token, 'GET', `/api/sync/schema${query}`)).body;
    const { data, meta } = await schema('?types=articles,authors');
    expect(meta).to.deep.equal({});
    expect(Object.keys(data)).to.deep.equal(['articles', 'authors']);
    const scalars = ['title', 'views', 'price', 'count', 'at', 'owner', 'createdAt', 'updatedAt'];
    expect(data.articles).to.deep.equal({
      ...Object.fromEntries(scalars.map((name) => [name, 'scalar'])),
      ...{
        data: 'whole',
        place: 'whole',
        author: 'one',
        tags: 'many',
        cover: 'one',
        photos: 'many',
        seo: 'whole',
        sections: 'whole',
      },
    });
    expect(Object.keys((await schema()).data)).to.have.members(['articles', 'authors', 'tags', 'memos', 'guards', 'pages']);
    const fields = { 'api::article.article': { allow: ['title', 'tags', 'cover'] } };
    await service.admin('PUT', '/roles/1', { actions: ['api::article.article.find'] });
    await service.admin('PUT', '/roles/1/rules', { rows: null, fields });
    expect((await schema('', ann.jwt)).data).to.have.all.keys('articles');
    expect((await schema('?types=articles,tags', ann.jwt)).data, 'types that are not hers are left out').to.have.all.keys(
      'articles',
    );
    expect((await schema('', ann.jwt)).data.articles).to.include({ title: 'scalar', cover: 'one' });
    expect((await schema('', ann.jwt)).data.articles).to.not.have.any.keys('price', 'tags', 'secret');
    for (const query of [
      '?types=',
      '?types=a,,b',
      '?types=a&types=b',
      '?types[0]=articles',
      '?status=draft',
      '?types=articles&x[y]=1',
    ])
      expect((await service.as(service.full, 'GET', `/api/sync/schema${query}`)).status, query).to.equal(400);
    for (const names of ['articles,logs,nothing,__proto__', 'articles,article'])
      expect((await schema(`?types=${names}`, ann.jwt)).data, 'names of no synced type are left out').to.have.all.keys(
        'articles',
      );
    expect(await schema('?types=nothing', ann.jwt)).to.deep.equal({ data: {}, meta: {} });
  });
});
