import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const ann = { username: 'ann', email: 'ann@example.org', password: 'Passw0rd', role: 1 };

type Request = readonly [method: string, path: string, body?: object];
type Answers = readonly (readonly [request: Request, status: number, body?: unknown])[];

const own = { own: true };
const unauthorized: Answers[number] = [['GET', '/api/users/me'], 401];

/** Code that finds a route of the plugin by its handler, and code that removes it. */
const named = (handler: string): string => `plugin.routes['content-api'].routes.find((route) => route.handler === '${handler}')`;
const without = (handler: string): string =>
  `plugin.routes['content-api'].routes = plugin.routes['content-api'].routes.filter((route) => route.handler !== '${handler}');`;

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
    `plugin.controllers.user.find = () => ({ own: true });
    return { controllers: plugin.controllers, routes: plugin.routes, policies: undefined };`,
    [[['GET', '/api/users'], 200, own]],
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
  [
    `${named('user.findOne')}.config.policies = [() => false];`,
    [[['GET', '/api/users/1'], 403], [['GET', '/api/users/count'], 200, 0], unauthorized, [['POST', '/api/users', ann], 201]],
  ],
  [
    `${named('user.count')}.config.middlewares.push(async (ctx, next) => { await next(); ctx.body = { own: true }; });`,
    [
      [['GET', '/api/users/count'], 200, own],
      [['GET', '/api/users'], 200, []],
    ],
  ],
  [
    `plugin.controllers.user.mine = () => ({ own: true }); ${named('user.find')}.handler = 'user.mine';`,
    [
      [['GET', '/api/users'], 200, own],
      [['GET', '/api/users/count'], 200, 0],
    ],
  ],
  [
    `${named('user.findOne')}.path = '/people/:id';`,
    [
      [['GET', '/api/people/1'], 204],
      [['GET', '/api/users/1'], 404],
      [['DELETE', '/api/users/1'], 204],
      [['GET', '/api/users/count'], 200, 0],
    ],
  ],
  [
    without('auth.register'),
    [[['POST', '/api/auth/local/register', ann], 405], [['POST', '/api/auth/local', {}], 400], unauthorized],
  ],
  [
    without('user.find'),
    [
      [['GET', '/api/users'], 404],
      [['POST', '/api/users', ann], 201],
      [['GET', '/api/users/1'], 200],
    ],
  ],
  [
    without('user.me'),
    [
      [['GET', '/api/users/me'], 404],
      [['GET', '/api/users/1'], 204],
      [['DELETE', '/api/users/me'], 401],
    ],
  ],
  [
    `plugin.controllers.user.bySlug = () => ({ own: true }); ${without('user.count')}
    plugin.routes['content-api'].routes.unshift({ method: 'GET', path: '/people/:id', handler: 'user.bySlug', config: { prefix: '' } });`,
    [
      [['GET', '/api/users/count'], 404],
      [['GET', '/api/users/1'], 204],
      [['GET', '/api/people/1'], 200, own],
    ],
  ],
  [
    `plugin.routes['content-api'].routes = [];`,
    [
      [['GET', '/api/users'], 404],
      [['POST', '/api/auth/local', {}], 405],
      [['GET', '/api/users-permissions/roles'], 404],
      [['GET', '/api/upload/files'], 200, []],
    ],
  ],
  [
    `${named('role.find')}.config.policies = [() => false]; if (${named('role.find')}.path !== '/roles') throw new Error('path');`,
    [
      [['GET', '/api/users-permissions/roles'], 403],
      [['GET', '/api/users-permissions/permissions'], 200],
    ],
  ],
];

/** What an extension of upload does, and what is answered then. */
const uploads: typeof extensions = [
  [
    `plugin.routes['content-api'].routes.find(({ path, method }) => method === 'GET' && path === '/files').config.policies = [() => false];`,
    [
      [['GET', '/api/upload/files'], 403],
      [['GET', '/api/upload/files/1'], 404],
    ],
  ],
  [
    without('content-api.upload'),
    [
      [['POST', '/api/upload', {}], 405],
      [['GET', '/api/upload/files'], 200, []],
    ],
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

for (const [name, list] of [
  ['users-permissions', extensions],
  ['upload', uploads],
] as const)
  describe(`extensions of ${name}`, () => {
    for (const [code, answers] of list)
      answering(
        code,
        { [`src/extensions/${name}/strapi-server.js`]: `module.exports = (plugin) => { ${code} return plugin; };` },
        answers,
      );
  });

describe('routes of an API beside those of the service', () => {
  for (const [method, path, answers] of routers)
    answering(`${method} ${path}`, { 'src/api/profile/routes/profile.js': route(method, path) }, answers);
});
