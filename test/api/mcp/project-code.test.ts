import { expect } from 'chai';
import { adminToken, jwtSecret, password } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';
import { serveProject, type ServedProject } from '../../support/serve-project.js';
import { type Agent, connectNew, connectOld } from './agents.js';

const core = (name: string, kind: string): string => `const { factories } = require('@strapi/strapi');
module.exports = factories.createCore${kind}('api::${name}.${name}'`;

const files = {
  'src/index.js': `module.exports = { register({ strapi }) {
    globalThis.projectStrapi = strapi;
    strapi.ai.mcp.registerTool('stamp', { title: 'Stamp', description: 'A class with a text', inputSchema: { type: 'object' } }, () => ({
      toJSON: () => 'today',
    }));
    strapi.ai.mcp.registerTool('nothing', { title: 'Nothing', description: 'No value', inputSchema: { type: 'object' } }, () => undefined);
    const inputSchema = { type: 'object', properties: { times: { type: 'integer', minimum: 1 } }, required: ['times'] };
    strapi.ai.mcp.registerTool('greet', { title: 'Greet', description: 'Greets the caller', inputSchema }, ({ times }, { state }) => ({
      greeting: 'hello '.repeat(times) + state.user.username,
    }));
  } };`,
  'src/api/note/routes/note.js': `${core('note', 'Router')});`,
  'src/api/note/controllers/note.js': `${core('note', 'Controller')}, () => ({ async find() { return { data: [], meta: {} }; } }));`,
  'src/api/page/routes/page.js': `${core('page', 'Router')}, { config: { delete: { policies: ['global::nobody'] } }, except: ['update'] });`,
  'src/policies/nobody.js': 'module.exports = () => false;',
};
const text = { text: { type: 'string' } };
const models = [collectionType('note', text), collectionType('page', text), collectionType('free', text)];
const actions = ['note', 'page', 'free'].flatMap((name) =>
  ['find', 'findOne', 'create', 'update', 'delete'].map((action) => `api::${name}.${name}.${action}`),
);

describe('agents of a project', () => {
  let serving: ServedProject;
  let jwt: string;
  let agent: Agent;
  let readOnly: string;

  before(async () => {
    serving = await serveProject(files, {
      models,
      config: {
        api: { open: false, mcp: { enabled: true } },
        admin: { token: adminToken },
        plugins: { 'users-permissions': { config: { jwtSecret } } },
      },
    });
    const { url } = serving.server;
    const send = async (path: string, method: string, body: object) => {
      const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
      const open = { 'content-type': 'application/json' };
      const isAdmin = path.startsWith('/admin');
      const answer = await fetch(`${url}${path}`, { method, headers: isAdmin ? headers : open, body: JSON.stringify(body) });
      return (await answer.json()) as { readonly jwt: string; readonly data: { readonly accessKey: string } };
    };
    await send('/admin/api/roles/1', 'PUT', { actions });
    await send('/admin/api/roles/2', 'PUT', { actions: ['plugin::users-permissions.auth.callback'] });
    await send('/admin/api/users', 'POST', { username: 'ann', email: 'ann@mail.test', password, role: 1, confirmed: true });
    ({ jwt } = await send('/api/auth/local', 'POST', { identifier: 'ann', password }));
    readOnly = (await send('/admin/api/tokens', 'POST', { name: 'reader', type: 'read-only' })).data.accessKey;
    agent = await connectNew(`${url}/mcp`, jwt);
  });
  after(async () => {
    await agent.close();
    await serving.stop();
  });

  it('are not offered what code of the project has replaced, guarded or left out', async () => {
    const { types } = (await agent.call('describe')).content;
    const actionsOf = (name: string): readonly string[] =>
      types.find(({ type }: { type: string }) => type === name)?.actions ?? [];
    expect(actionsOf('note')).to.deep.equal(['get', 'create', 'update', 'delete']);
    expect(actionsOf('page')).to.deep.equal(['find', 'get', 'count', 'create']);
    const refused = await agent.call('find', { type: 'note' });
    expect(refused.text).to.contain('find is not available for note');
  });

  it('are offered groups only where code has left the list as it is', async () => {
    const reader = await connectNew(`${serving.server.url}/mcp`, readOnly);
    const { types } = (await reader.call('describe')).content;
    const grouped = types.filter(({ actions: names }: { actions: string[] }) => names.includes('aggregate'));
    expect(grouped.map(({ type }: { type: string }) => type)).to.deep.equal(['free', 'page']);
    const refused = await reader.call('aggregate', { type: 'note', aggregate: { count: '*' }, groupBy: ['text'] });
    expect(refused.text).to.contain('aggregate is not available for note');
    await reader.close();
  });

  it('are offered the tools that code has registered', async () => {
    for (const connect of [connectNew, connectOld]) {
      const other = await connect(`${serving.server.url}/mcp`, jwt);
      const tools = await other.tools();
      expect(tools.at(-1)).to.include({ name: 'greet' });
      expect((await other.call('greet', { times: 2 })).content).to.deep.equal({ greeting: 'hello hello ann' });
      const refused = await other.call('greet', { times: 0 });
      expect(refused.isError).to.equal(true);
      expect(refused.text).to.contain('times');
      await other.close();
    }
  });

  it('get an object, whatever the code of a tool returns', async () => {
    expect((await agent.call('stamp')).content).to.deep.equal({ result: 'today' });
    expect((await agent.call('nothing')).content).to.deep.equal({ result: null });
  });

  it('are not offered them by a token that only reads', async () => {
    const reader = await connectNew(`${serving.server.url}/mcp`, readOnly);
    expect((await reader.tools()).map(({ name }) => name)).to.not.include('greet');
    expect(await reader.call('greet', { times: 1 }).catch(String)).to.contain('Unknown tool: greet');
    await reader.close();
  });

  it('refuse tools that have no name of their own', () => {
    const { registerTool } = serving.strapi.ai.mcp;
    const about = { title: 'x', description: 'y' };
    expect(() => registerTool('find', about, () => null)).to.throw('the tool find is one of the service');
    expect(() => registerTool('greet', about, () => null)).to.throw('is registered twice');
    expect(() => registerTool('other', about, null)).to.throw('needs a handler');
  });
});
