import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';

const group = 'api::group.group';
const article = 'api::article.article';
const many = { type: 'relation', relation: 'oneToMany', target: article, mappedBy: 'group' };
const one = { type: 'relation', relation: 'manyToOne', target: group, inversedBy: 'articles' };
const groups = collectionType(
  'group',
  { public: { type: 'boolean' }, articles: many },
  { options: { draftAndPublish: true, drafts: 'beside' } },
);
const preview = 'publicationState=preview';

/**
 * Articles 1 and 2 are in group 1, which is public in its draft alone; article 3 is in group 2, which its draft hides. The other groups
 * are more than ids may be resolved, so that groups are joined.
 */
for (const isJoined of [false, true])
  describe(`row rules through relations and drafts beside related entries${isJoined ? ', by joins' : ''}`, () => {
    let server: ServingAccounts;
    let full: string;

    before(async () => {
      const options = { draftAndPublish: true, ...(!isJoined && { drafts: 'beside' }) };
      const models = [groups, collectionType('article', { title: { type: 'string' }, group: one }, { options })];
      server = await serveAccounts({ models, ...(isJoined && { config: { api: { limits: { idsResolved: 2 } } } }) });
      const actions = ['find', 'findOne', 'update'].flatMap((action) => [`${group}.${action}`, `${article}.${action}`]);
      await server.admin('PUT', '/roles/2', { actions });
      full = (await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' })).body.data.accessKey as string;
      for (const shown of [false, true, ...(isJoined ? [true, true, true, false, false, false] : [])])
        await server.as(full, 'POST', '/api/groups', { data: { public: shown } });
      for (const id of [1, 2])
        await server.as(full, 'PUT', `/api/groups/${String(id)}?status=draft`, { data: { public: id === 1 } });
      for (const id of [1, 1, 2]) await server.as(full, 'POST', '/api/articles', { data: { title: 'live', group: id } });
    });
    after(() => server.stop());

    const ids = async (path: string): Promise<unknown> => {
      const { body } = await server.as(null, 'GET', path);
      return (body.data as { id: number }[] | null)?.map(({ id }) => id) ?? body.error;
    };
    const rule = async (rows: object): Promise<void> => {
      expect((await server.admin('PUT', '/roles/2/rules', { rows })).status).to.equal(200);
    };

    for (const [value, expected] of [
      [{ public: true }, [3]],
      [{ public: { $ne: true } }, [1, 2]],
      [{ $none: { public: true } }, [1, 2]],
    ] as const)
      it(`a draft shows no entries by the rule ${JSON.stringify(value)}, and hides none`, async () => {
        await rule({ [article]: { group: value } });
        for (const query of [
          '',
          '&sort=title:asc,id:asc',
          '&pagination[withCount]=false',
          '&sort=id&filters[title][$contains]=l',
        ])
          expect(await ids(`/api/articles?${preview}${query}`), query).to.eql(expected);
        expect(await ids(`/api/articles?${preview}&pagination[pageSize]=1`)).to.eql(expected.slice(0, 1));
        expect((await server.as(null, 'GET', `/api/articles/1?${preview}`)).status).to.equal(expected.length > 1 ? 200 : 404);
        expect(await ids(`/api/groups?${preview}&filters[articles][title]=live`)).to.eql(expected.length > 1 ? [1] : [2]);
      });

    if (!isJoined)
      it('a draft with a link shows no entries by a rule from the other side, and hides none', async () => {
        await server.as(full, 'PUT', '/api/articles/2?status=draft', { data: { title: 'draft', group: 2 } });
        await rule({ [group]: { articles: { title: 'draft' } } });
        expect(await ids(`/api/groups?${preview}`)).to.eql([]);
        await rule({ [group]: { articles: { id: 2 } } });
        expect(await ids(`/api/groups?${preview}&sort=id`)).to.eql([1]);
      });
  });
