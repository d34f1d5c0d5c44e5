import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const nothing = (): void => undefined;

/** Lifecycles of a project, and the commands of a create, an update and a delete. */
const cases: readonly (readonly [names: readonly string[], create: string, update: string, remove: string])[] = [
  [[], 'insert', 'findAndModify', 'find findAndModify'],
  [['beforeFindMany', 'afterFindMany', 'afterCount'], 'insert', 'findAndModify', 'find findAndModify'],
  [['beforeFindOne'], 'insert find', 'findAndModify find', 'find findAndModify'],
  [['afterFindOne'], 'insert find', 'findAndModify find', 'find findAndModify'],
  [['afterCreate', 'afterUpdate', 'afterDelete'], 'insert find', 'findAndModify find', 'find find findAndModify'],
  [['beforeCreate', 'beforeUpdate', 'beforeDelete'], 'insert', 'find findAndModify', 'find findAndModify'],
];

describe('the commands of writes with lifecycles', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject({}, { models: [collectionType('post', { title: { type: 'string' } })] });
  });
  after(() => serving.stop());

  for (const [names, create, update, remove] of cases)
    it(names.join(', ') || 'none', async () => {
      const { body } = await serving.call('POST', '/api/posts', { data: { title: 'a' } });
      const path = `/api/posts/${String(body.data.id)}`;
      const end = serving.strapi.db.lifecycles.subscribe(Object.fromEntries(names.map((name) => [name, nothing])));
      await serving.settled();
      const sent = async (...call: Parameters<typeof serving.call>): Promise<string> =>
        (await serving.countCommands(() => serving.call(...call))).commands.join(' ');
      const commands = [
        await sent('POST', '/api/posts', { data: { title: 'b' } }),
        await sent('PUT', path, { data: { title: 'c' } }),
        await sent('DELETE', path),
      ];
      end();
      expect(commands).to.deep.equal([create, update, remove]);
    });
});
