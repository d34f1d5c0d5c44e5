import { expect } from 'chai';
import { adminToken, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const thing = {
  kind: 'collectionType',
  collectionName: 'things',
  info: { singularName: 'thing', pluralName: 'things', displayName: 'Thing' },
  attributes: { name: { type: 'string' } },
};

describe('admin API', () => {
  let server: ServingAccounts;
  before(async () => {
    server = await serveAccounts();
  });
  after(() => server.stop());

  it('accepts admin tokens only', async () => {
    const { body: made } = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    for (const token of [null, 'wrong', made.data.accessKey])
      expect((await server.as(token, 'GET', '/admin/api/status')).status).to.equal(401);
    const { body: admin } = await server.admin('POST', '/tokens', { name: 'ops', type: 'admin' });
    expect((await server.as(admin.data.accessKey, 'GET', '/admin/api/status')).status).to.equal(200);
    expect((await server.as(admin.data.accessKey, 'GET', '/api/articles')).status).to.equal(401);
  });

  it('lists its routes with the schemas of their bodies', async () => {
    const { body } = await server.admin('GET', '');
    const routes = new Map<string, { readonly properties?: object }>(
      body.data.map((route: { method: string; path: string; body: object }) => [`${route.method} ${route.path}`, route.body]),
    );
    expect([...routes.keys()]).to.include.members([
      'GET /admin/api/models',
      'DELETE /admin/api/locales/:code',
      'GET /admin/api/audit',
    ]);
    expect(routes.get('PUT /admin/api/locales/:code')?.properties).to.have.all.keys('name', 'isDefault');
    expect(routes.get('POST /admin/api/users')?.properties).to.include.keys('username', 'email');
  });

  it('reports that refresh tokens are disabled', async () => {
    const { status, body } = await server.as(null, 'POST', '/api/auth/refresh', { refreshToken: 'x' });
    expect([status, body.error.message]).to.deep.equal([
      404,
      'Refresh tokens are disabled: set users-permissions.config.refreshTokens.enabled in config/plugins',
    ]);
  });

  it('shows no key or hash of a token again', async () => {
    const { body } = await server.admin('GET', '/tokens');
    expect(body.data[0]).to.have.keys(
      ...['id', 'name', 'type', 'description', 'permissions', 'expiresAt', 'lastUsedAt', 'createdAt'],
    );
  });

  it('logs every change, without secrets', async () => {
    await server.admin('POST', '/users', { username: 'ann', email: 'ann@mail.test', password: 'Secret123', role: 1 });
    await server.admin('POST', '/users', { username: 'ann' });
    const { body } = await server.admin('GET', '/audit?limit=2');
    const [failed, done] = body.data;
    expect(done).to.include({ kind: 'configuration', tokenId: null, who: 'ADMIN_TOKEN', what: 'POST /users', status: 200 });
    expect(done.body).to.include({ username: 'ann', password: '***' });
    expect(failed).to.include({ what: 'POST /users', status: 400 });
  });

  it('validates a model: lists its changes, and stores nothing', async () => {
    await server.admin('PUT', '/roles/2', { actions: ['api::article.article.create', 'api::article.article.find'] });
    for (const price of [1, 1, null]) await server.as(null, 'POST', '/api/articles', { data: { title: 'a', price } });
    const { body } = await server.admin('GET', '/models/api::article.article');
    const model = {
      ...body.data,
      attributes: { ...body.data.attributes, price: { type: 'integer', required: true, unique: true }, more: { type: 'json' } },
    };
    const answer = await server.admin('PUT', '/models/api::article.article?dryRun=true', model);
    expect(answer.body.data).to.deep.include({
      isValid: true,
      changes: [{ uid: 'api::article.article', change: 'changed', added: ['more'], changed: ['price'], removed: [] }],
    });
    expect(answer.body.data.indexes).to.deep.equal([{ collection: 'articles', built: ['mangrove_price_unique'], dropped: [] }]);
    expect(answer.body.data.data).to.deep.equal([
      { uid: 'api::article.article', attribute: 'price', rule: 'required', count: 1, examples: [3] },
      { uid: 'api::article.article', attribute: 'price', rule: 'unique', count: 2, examples: [1, 2] },
    ]);
    expect((await server.admin('GET', '/models/api::article.article')).body.data.attributes).to.not.have.property('more');
  });

  it('looks through the entries of a type for each rule only if there are some', async () => {
    const price = { type: 'integer', required: true, unique: true, min: 1 };
    const aggregates = async (model: object): Promise<number> => {
      const validate = () => server.admin('POST', '/models/validate', model);
      const { result, commands } = await server.countCommands(validate);
      expect(result.body.data.isValid).to.equal(true);
      return commands.filter((name) => name === 'aggregate').length;
    };
    const { body } = await server.admin('GET', '/models/api::article.article');
    expect(await aggregates({ ...thing, uid: 'api::thing.thing', attributes: { price } })).to.equal(0);
    expect(await aggregates({ ...body.data, attributes: { ...body.data.attributes, price } })).to.equal(4);
  });

  it('refuses a wrong model', async () => {
    const { status, body } = await server.admin('PUT', '/models/api::article.article', { kind: 'collectionType' });
    expect(status).to.equal(400);
    expect(body.error.details.problems).to.have.property('api::article.article');
  });

  it('adds a model and removes it', async () => {
    expect((await server.admin('PUT', '/models/api::thing.thing', thing)).status).to.equal(200);
    await server.admin('PUT', '/roles/2', { actions: ['api::thing.thing.find'] });
    expect((await server.as(null, 'GET', '/api/things')).body.data).to.deep.equal([]);
    expect((await server.admin('DELETE', '/models/api::thing.thing')).status).to.equal(200);
    expect((await server.as(null, 'GET', '/api/things')).status).to.equal(404);
  });

  it('does not inherit the rights of a removed type of the same name', async () => {
    const uid = 'api::thing.thing';
    const model = { ...thing, info: { ...thing.info, displayName: 'Another' } };
    await server.admin('PUT', `/models/${uid}`, thing);
    await server.admin('PUT', '/roles/2', { actions: [`${uid}.find`, 'api::article.article.find'] });
    const permissions = [`${uid}.find`, `${uid}.create`, 'api::article.article.find'];
    const { body } = await server.admin('POST', '/tokens', { name: 'things', type: 'custom', permissions });
    const statuses = async () => [
      (await server.as(null, 'GET', '/api/things')).status,
      (await server.as(body.data.accessKey, 'GET', '/api/things')).status,
    ];
    expect(await statuses()).to.deep.equal([200, 200]);
    await server.admin('DELETE', `/models/${uid}`);
    await server.admin('PUT', `/models/${uid}`, model);
    expect(await statuses()).to.deep.equal([403, 403]);
    const tokens = await server.admin('GET', '/tokens');
    expect(tokens.body.data.at(-1).permissions).to.deep.equal(['api::article.article.find']);
    await server.admin('DELETE', `/models/${uid}`);
  });

  it('adds locales and removes them with their entries', async () => {
    const added = await server.admin('POST', '/locales', { code: 'fr', isDefault: true });
    expect(added.body.data).to.deep.include({ id: 2, code: 'fr', name: 'French (fr)', isDefault: true });
    expect((await server.admin('DELETE', '/locales/fr')).status).to.equal(400);
    await server.admin('PUT', '/locales/en', { isDefault: true });
    expect((await server.admin('DELETE', '/locales/fr')).body.data.map(({ code }: { code: string }) => code)).to.deep.equal([
      'en',
    ]);
    expect((await server.admin('POST', '/locales', { code: 'no such' })).status).to.equal(400);
  });

  it('changes settings with checks', async () => {
    const put = (advanced: object) => server.admin('PUT', '/settings', { advanced });
    expect((await put({ allow_register: false })).body.data.advanced.allow_register).to.equal(false);
    expect((await put({ email_confirmation_redirection: 'javascript:alert(1)' })).status).to.equal(400);
    expect((await put({ bogus: 1 })).status).to.equal(400);
    const register = { username: 'new', email: 'new@mail.test', password: 'Secret123' };
    expect((await server.as(null, 'POST', '/api/auth/local/register', register)).status).to.be.oneOf([400, 403]);
    await put({ allow_register: true });
  });

  describe('bodies', () => {
    const rules = { rows: { 'api::note.note': { text: 'x' } }, fields: { 'api::note.note': { deny: ['text'] } } };
    const rulesOf = async () => (await server.admin('GET', '/roles/1')).body.data.rules;
    beforeEach(() => server.admin('PUT', '/roles/1/rules', rules));
    after(() => server.admin('DELETE', '/roles/1/rules'));

    const uid = 'api::note.note';
    const template = { from: { name: '', email: '' }, object: '', message: '' };
    const wrong: readonly (readonly [method: string, path: string, body: unknown, message: string])[] = [
      ['PUT', '/roles/1/rules', { rowz: {} }, 'unknown key rowz; did you mean rows?'],
      ['PUT', '/roles/1/rules', {}, 'the body must NOT have fewer than 1 properties'],
      ['PUT', '/roles/1/rules', [], 'the body must be an object'],
      ['PUT', '/roles/1/rules', { rows: {} }, 'rows must NOT have fewer than 1 properties'],
      ['PUT', '/roles/1/rules', { rows: { [uid]: {} } }, `rows.${uid} must NOT have fewer than 1 properties`],
      [
        'PUT',
        '/roles/1/rules',
        { rows: { 'api::note.nota': { text: 'x' } } },
        'there is no type api::note.nota; did you mean api::note.note?',
      ],
      ['PUT', '/roles/1/rules', { fields: { [uid]: { denny: [] } } }, `unknown key fields.${uid}.denny; did you mean deny?`],
      [
        'PUT',
        '/roles/1/rules',
        { fields: { [uid]: { deny: ['txt'] } } },
        `fields of ${uid}: there is no attribute txt; did you mean text?`,
      ],
      ['PUT', '/roles/1', { nam: 'x' }, 'unknown key nam; did you mean name?'],
      ['PUT', '/roles/1', { type: 'x' }, 'unknown key type; known: name, description, actions, permissions'],
      [
        'PUT',
        '/roles/1',
        { actions: ['api::note.note.fin'] },
        'there is no action api::note.note.fin; did you mean api::note.note.find?',
      ],
      [
        'PUT',
        '/roles/1',
        { permissions: { x: { controler: {} } } },
        'unknown key permissions.x.controler; did you mean controllers?',
      ],
      ['POST', '/roles', { name: 'New', action: [] }, 'unknown key action; did you mean actions?'],
      ['POST', '/users', { usernam: 'x' }, 'unknown key usernam; did you mean username?'],
      ['PUT', '/users/1', { blockd: true }, 'unknown key blockd; did you mean blocked?'],
      ['POST', '/tokens', { name: 'x', type: 'custom', permission: [] }, 'unknown key permission; did you mean permissions?'],
      [
        'POST',
        '/tokens',
        { name: 'x', type: 'custom', permissions: ['api::artcle.article.find'] },
        'there is no action api::artcle.article.find; did you mean api::article.article.find?',
      ],
      ['POST', '/locales', { code: 'fr', default: true }, 'unknown key default; did you mean isDefault?'],
      ['PUT', '/locales/en', { isDefalt: true }, 'unknown key isDefalt; did you mean isDefault?'],
      ['PUT', '/settings', { advance: {} }, 'unknown key advance; did you mean advanced?'],
      ['PUT', '/settings', { advanced: { unique_mail: false } }, 'unknown key advanced.unique_mail; did you mean unique_email?'],
      [
        'PUT',
        '/settings',
        { templates: { reset: template } },
        'unknown key templates.reset; known: reset_password, email_confirmation',
      ],
      [
        'PUT',
        '/settings',
        { templates: { reset_password: { ...template, form: 1 } } },
        'unknown key templates.reset_password.form; did you mean from?',
      ],
      ['PUT', '/models/api::thing.thing', { ...thing, uid: 'api::x.x' }, 'uid is api::x.x, but the path names api::thing.thing'],
      ['PUT', '/models/api::thing.thing?dryRun=1', thing, 'dryRun must be true or false'],
      ['PUT', '/models/api::thing.thing', { ...thing, optons: {} }, 'unknown key optons; did you mean options?'],
      ['POST', '/models/validate', { ...thing, atributes: {} }, 'unknown key atributes; did you mean attributes?'],
      ['POST', '/models/validate', { models: [], dryRun: true }, '2 errors occurred'],
      ['POST', '/models/validate', { models: [{ ...thing, knd: '' }] }, 'unknown key models.0.knd; did you mean kind?'],
    ];
    for (const [method, path, body, message] of wrong)
      it(`of ${method} ${path} are refused with ${JSON.stringify(body)}`, async () => {
        const { status, body: answer } = await server.admin(method, path, body);
        expect([status, answer.error.name, answer.error.message]).to.deep.equal([400, 'ValidationError', message]);
        expect(await rulesOf()).to.deep.equal(rules);
      });

    it('change the rules that they name, and no others', async () => {
      const rows = { 'api::note.note': { text: 'y' } };
      await server.admin('PUT', '/roles/1/rules', { rows });
      expect(await rulesOf()).to.deep.equal({ ...rules, rows });
      await server.admin('PUT', '/roles/1/rules', { fields: null });
      expect(await rulesOf()).to.deep.equal({ rows, fields: {} });
      await server.admin('PUT', '/roles/1/rules', { rows: null });
      expect(await rulesOf()).to.equal(null);
    });

    it('are not needed to remove all rules', async () => {
      const { status, body } = await server.admin('DELETE', '/roles/1/rules');
      expect([status, body.data.rules]).to.deep.equal([200, null]);
      expect((await server.admin('DELETE', '/roles/99/rules')).status).to.equal(404);
    });

    it('of models may be what GET answers', async () => {
      await server.admin('PUT', '/models/api::thing.thing', thing);
      const { body } = await server.admin('GET', '/models/api::thing.thing');
      expect((await server.admin('PUT', '/models/api::thing.thing', body.data)).status).to.equal(200);
      expect(
        await server.database.db.collection<{ _id: string }>('_models').findOne({ _id: 'api::thing.thing' }),
      ).to.not.have.property('problems');
      await server.admin('DELETE', '/models/api::thing.thing');
    });
  });

  it('puts a model in force in the order in which models are read', async () => {
    const aardvark = { ...thing, info: { singularName: 'aardvark', pluralName: 'aardvarks', displayName: 'Aardvark' } };
    await server.admin('PUT', '/models/api::aardvark.aardvark', aardvark);
    const models = server.server.backend?.models;
    const stored = (await models?.readStored())?.map(({ uid }) => uid) ?? [];
    expect(stored[0]).to.equal('api::aardvark.aardvark');
    expect([...(models?.inForce().models.keys() ?? [])].filter((uid) => stored.includes(uid))).to.deep.equal(stored);
    await server.admin('DELETE', '/models/api::aardvark.aardvark');
  });

  it('reads all models once for a model that is put', async () => {
    const { db } = server.database;
    for (const name of ['bee', 'wasp']) {
      const info = { singularName: name, pluralName: `${name}s`, displayName: name };
      await db.command({ profile: name === 'wasp' ? 2 : 0 }); // what the first one is compared with is read anew
      const { status } = await server.admin('PUT', `/models/api::${name}.${name}`, {
        ...thing,
        collectionName: `${name}s`,
        info,
      });
      expect(status).to.equal(200);
    }
    await db.command({ profile: 0 });
    const reads = db.collection('system.profile').find({ op: 'query', ns: `${db.databaseName}._models` });
    const returned = (await reads.toArray()).map(({ nreturned }) => Number(nreturned));
    expect(returned.filter((count) => count > 1)).to.have.length(1);
    await db.dropCollection('system.profile');
    for (const name of ['bee', 'wasp']) await server.admin('DELETE', `/models/api::${name}.${name}`);
  });

  const wrongParameters: Readonly<Record<string, string>> = {
    '/models?uid=x': 'Invalid parameter uid: expected none',
    '/roles/1?populate[users]=1': 'Invalid parameter populate: expected none',
    '/users?page=2': 'Invalid parameter page: expected one of after, limit',
    '/users?limit=0': 'limit must be a number from 1 to 1000',
    '/users?after=x': 'after must be a number from 0 to 9007199254740991',
    '/audit?limit=x': 'limit must be a number from 1 to 999',
    '/audit?limit=1&limit=2': 'limit must be given once',
    '/history/api::x.x/1?limit=1': 'Invalid parameter limit: expected one of page, pageSize',
    '/webhooks/1/deliveries?page=1': 'Invalid parameter page: expected one of limit, status, before',
  };
  for (const [path, message] of Object.entries(wrongParameters))
    it(`refuses ${path}`, async () => {
      const { status, body } = await server.admin('GET', path);
      expect([status, body.error.message]).to.deep.equal([400, message]);
    });

  it('keeps a role for new users', async () => {
    const change = await server.admin('PUT', '/settings', { advanced: { default_role: 'nobody' } });
    expect([change.status, change.body.error.message]).to.deep.equal([400, 'default_role: there is no role nobody']);
    const removal = await server.admin('DELETE', '/roles/1');
    expect([removal.status, removal.body.error.message]).to.deep.equal([400, 'Cannot delete the default role of new users']);
  });

  it('begins the state of the service with a summary', async () => {
    const { body } = await server.admin('GET', '/status');
    const [first, summary] = Object.entries(body.data as object)[0] ?? [];
    expect(first).to.equal('summary');
    expect(summary).to.include({ isRight: true, instances: 1, serveTheSame: true, indexesBuilding: 0 });
    expect(summary).to.deep.include({ refusedModels: [] });
  });

  it('answers unknown paths by 404 and other methods by 405', async () => {
    expect((await server.admin('GET', '/bogus')).status).to.equal(404);
    expect((await server.admin('POST', '/status')).status).to.equal(405);
  });

  it('is absent if it is switched off', async () => {
    const other = await serveAccounts({ config: { admin: { enabled: false } } });
    expect((await other.as(adminToken, 'GET', '/admin/api/status')).status).to.equal(404);
    await other.stop();
  });
});
