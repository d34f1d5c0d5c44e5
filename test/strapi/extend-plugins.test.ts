import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const ann = { username: 'ann', email: 'ann@example.org', password: 'Passw0rd', role: 1 };

type Request = readonly [method: string, path: string, body?: object];
type Answers = readonly (readonly [request: Request, status: number, body?: unknown])[];

const own = { own: true };
const unauthorized: Answers[number] = [['GET', '/api/users/me'], 401];

/** What an extension of users-permissions does, and what is answered then. */
const extensions: readonly (readonly [code: string, answers: Answers])[] = [
  [
    'plugin.controllers.user.find = () => ({ own: true });',
    [
      [['GET', '/api/users'], 200, own],
      [['POST', '/api/users', ann], 201],
      [['GET', '/api/users/1'], 200],
      [['PATCH', '/api/users'], 405],
    ],
  ],
  [
    'plugin.controllers.user.findOne = () => ({ own: true });',
    [
      [['GET', '/api/users'], 200, []],
      [['GET', '/api/users/1'], 200, own],
      unauthorized,
      [['GET', '/api/users/count'], 200, 0],
      [['PUT', '/api/users/1', {}], 404],
      [['DELETE', '/api/users/1'], 204],
      [['POST', '/api/users/1', {}], 405],
    ],
  ],
  [
    'plugin.controllers.user.update = () => ({ own: true });',
    [
      [['PUT', '/api/users/1', {}], 200, own],
      [['GET', '/api/users/1'], 204],
      [['GET', '/api/users/count'], 200, 0],
      unauthorized,
    ],
  ],
  [
    `plugin.controllers.user.bySlug = () => ({ own: true });
    plugin.routes['content-api'].routes.push({ method: 'GET', path: '/users/:slug', handler: 'user.bySlug', config: { prefix: '' } });`,
    [[['GET', '/api/users/count'], 200, 0], [['GET', '/api/users/1'], 204], unauthorized],
  ],
  [
    `plugin.controllers.user.bySlug = () => ({ own: true });
    plugin.routes['content-api'].routes.unshift({ method: 'GET', path: '/users/:slug', handler: 'user.bySlug', config: { prefix: '' } });`,
    [
      [['GET', '/api/users/count'], 200, own],
      [['DELETE', '/api/users/1'], 204],
    ],
  ],
  [
    `plugin.routes['content-api'].routes = plugin.routes['content-api'].routes.map((route) =>
      route.handler === 'user.findOne' ? { ...route, config: { ...route.config, policies: [() => false] } } : route);`,
    [[['GET', '/api/users/1'], 403], [['GET', '/api/users/count'], 200, 0], unauthorized, [['POST', '/api/users', ann], 201]],
  ],
];

const route = (method: string, path: string): string =>
  `module.exports = { routes: [{ method: '${method}', path: '${path}', handler: () => ({ own: true }), config: { auth: false } }] };`;

/** Routes of an API on paths of users, and what is answered then. */
const routers: readonly (readonly [method: string, path: string, answers: Answers])[] = [
  ['PUT', '/users/me', [[['PUT', '/api/users/me', {}], 200, own], unauthorized, [['PATCH', '/api/users/me', {}], 405]]],
  [
    'GET',
    '/users/:id',
    [
      [['GET', '/api/users/count'], 200, own],
      [['DELETE', '/api/users/1'], 204],
      [['POST', '/api/users/1'], 405],
    ],
  ],
  [
    'GET',
    '/profiles',
    [
      [['GET', '/api/profiles'], 200, own],
      [['POST', '/api/profiles', {}], 405],
    ],
  ],
];

/** Serves the file and sends the requests. */
const answering = (name: string, file: Readonly<Record<string, string>>, answers: Answers): void => {
  describe(name, () => {
    let serving: ServedProject;
    before(async () => {
      serving = await serveProject(file, { models: [] });
    });
    after(() => serving.stop());

    for (const [[method, path, sent], status, body] of answers)
      it(`${method} ${path}: ${String(status)}`, async () => {
        const answer = await serving.call(method, path, sent);
        expect(answer.status).to.equal(status);
        if (body !== undefined) expect(answer.body).to.deep.equal(body);
      });
  });
};

describe('extensions of users-permissions', () => {
  for (const [code, answers] of extensions)
    answering(
      code,
      { 'src/extensions/users-permissions/strapi-server.js': `module.exports = (plugin) => { ${code} return plugin; };` },
      answers,
    );
});

describe('routes of an API beside those of the service', () => {
  for (const [method, path, answers] of routers)
    answering(`${method} ${path}`, { 'src/api/profile/routes/profile.js': route(method, path) }, answers);
});
