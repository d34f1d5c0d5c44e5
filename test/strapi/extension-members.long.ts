import { expect } from 'chai';
import { createLog } from '../support/create-log.js';
import { serveProject } from '../support/serve-project.js';

const seen = 'globalThis.seenByExtension';

/** Code of a strapi-server file, what it has seen when the service has stopped, and the members that the log names. */
const files: readonly (readonly [code: string, seen: unknown, named: readonly string[]])[] = [
  [`${seen} = plugin.config.register.allowedFields;`, ['nick'], []],
  [
    `plugin.config.own = { deep: 1 }; plugin.register = ({ strapi }) => {
      ${seen} = [strapi.config.get('plugin.users-permissions.own.deep'), strapi.plugin('users-permissions').config('own')]; };`,
    [1, { deep: 1 }],
    [],
  ],
  [
    `plugin.config.jwt.expiresIn = '9d'; plugin.config.register = { allowedFields: ['tone'] };
    plugin.bootstrap = ({ strapi }) => { const { config } = strapi.plugin('users-permissions');
      ${seen} = [config('jwt.expiresIn'), config('jwt').expiresIn, config('register.allowedFields'), config('none', 3)]; };`,
    ['9d', '9d', ['tone'], 3],
    [],
  ],
  [
    `${seen} = [];
    for (const name of ['register', 'bootstrap', 'destroy']) {
      const before = plugin[name];
      plugin[name] = async ({ strapi }) => { await before({ strapi }); ${seen}.push([name, typeof strapi.db.query]); };
    }`,
    [
      ['register', 'function'],
      ['bootstrap', 'function'],
      ['destroy', 'function'],
    ],
    [],
  ],
  ["plugin.services['permission']().findRolePermissions;", undefined, []],
  [
    "plugin.routes.admin.routes.push({ method: 'GET', path: '/x', handler: 'user.find' });",
    undefined,
    ['users-permissions.routes.admin'],
  ],
  [
    'const { find } = plugin.controllers.contentmanageruser; plugin.controllers.contentmanageruser.find = (ctx) => find(ctx);',
    undefined,
    ['users-permissions.controllers.contentmanageruser'],
  ],
  ['plugin.unknown.part.list.push(1); plugin.unknown.other();', undefined, ['users-permissions.unknown']],
  [`plugin.services.mine ??= () => ({ two: () => 2 }); ${seen} = typeof plugin.services.mine;`, 'function', []],
  [`plugin.controllers.mine ??= {}; plugin.controllers.mine.one = () => 1; ${seen} = plugin.controllers.mine.one();`, 1, []],
];

/** Members that Strapi v4 calls itself, by plugin, and the line of the log that says what to change instead. */
const uncalled: readonly (readonly [plugin: string, code: string, line: string])[] = [
  [
    'upload',
    "plugin.controllers['content-api'].uploadFiles = () => 1;",
    'upload.controllers.content-api.uploadFiles is not called',
  ],
  [
    'upload',
    "plugin.controllers['content-api'].replaceFile = () => 1;",
    'upload.controllers.content-api.replaceFile is not called',
  ],
  ['users-permissions', 'plugin.middlewares.rateLimit = () => 1;', 'users-permissions.middlewares.rateLimit is not called'],
];

/** Code that replaces methods of services, and the methods that only code calls. */
const replaced: readonly (readonly [plugin: string, code: string, names: RegExp | null])[] = [
  [
    'users-permissions',
    'const { user } = plugin.services; plugin.services.user = () => ({ ...user(), add: () => 1, edit: () => 2, own: () => 3 });',
    /replaces add, edit of the service user for code alone/,
  ],
  [
    'users-permissions',
    'const { user } = plugin.services; plugin.services.user = () => ({ ...user(), fetchAuthenticatedUser: () => null });',
    null,
  ],
  ['upload', 'const { upload } = plugin.services; plugin.services.upload = () => ({ ...upload(), own: () => 1 });', null],
  [
    'upload',
    'const { upload } = plugin.services; plugin.services.upload = () => ({ ...upload(), upload: () => 1 });',
    /replaces upload of the service upload for code alone/,
  ],
];

describe('methods of services that extensions replace', () => {
  for (const [plugin, code, names] of replaced)
    it(`${names === null ? 'are not told' : 'are told if requests do not call them'}: ${code}`, async () => {
      const { logger, lines } = await createLog();
      const extension = `module.exports = (plugin) => { ${code} return plugin; };`;
      const { stop } = await serveProject({ [`src/extensions/${plugin}/strapi-server.js`]: extension }, { models: [], logger });
      await stop();
      const told = lines.map(({ msg }) => String(msg)).filter((msg) => msg.includes('for code alone'));
      expect(told).to.have.length(names === null ? 0 : 1);
      if (names !== null) expect(told[0]).to.match(names);
    });
});

describe('members of extensions that nothing calls', () => {
  for (const [plugin, code, line] of uncalled)
    it(`are told: ${code}`, async () => {
      const { logger, lines } = await createLog();
      const extension = `module.exports = (plugin) => { ${code} return plugin; };`;
      const { stop } = await serveProject({ [`src/extensions/${plugin}/strapi-server.js`]: extension }, { models: [], logger });
      await stop();
      const told = lines.filter(({ msg }) => String(msg).includes('is not called'));
      expect(told.map(({ msg }) => String(msg))).to.have.length(1);
      expect(String(told[0]?.msg)).to.include(line);
    });
});

describe('a strapi-server file', () => {
  for (const [code, expected, named] of files)
    it(code, async () => {
      Reflect.deleteProperty(globalThis, 'seenByExtension');
      const { logger, lines } = await createLog();
      const extension = `module.exports = (plugin) => { ${code}
        plugin.controllers.user.count = () => ({ rest: true }); return plugin; };`;
      const { call, stop } = await serveProject(
        { 'src/extensions/users-permissions/strapi-server.js': extension },
        {
          models: [],
          logger,
          config: { plugins: { 'users-permissions': { config: { register: { allowedFields: ['nick'] } } } } },
        },
      );
      const answer = await call('GET', '/api/users/count');
      await stop();
      expect(answer.body).to.deep.equal({ rest: true });
      expect(Reflect.get(globalThis, 'seenByExtension')).to.deep.equal(expected);
      const told = lines.flatMap(({ msg }) => /the plugin (\S+) is not offered/.exec(String(msg))?.[1] ?? []);
      expect(told).to.deep.equal(named);
    });
});
