import { expect } from 'chai';
import { OAuth2Server } from 'oauth2-mock-server';
import { createService } from '#operate/service/create-server.js';
import { sendRequest } from '../support/send-request.js';
import { type Answer, serveModels, type Serving } from '../support/serve.js';

interface Claims {
  readonly [name: string]: unknown;
  readonly sub: string;
}

interface Step {
  readonly status: number;
  readonly location: string;
  readonly cookie: string;
  readonly headers: Headers;
  readonly text: string;
}

const password = 'Password1';
const editor = 'strapi-editor';
const author = 'strapi-author';

/** Sends one request of a browser, without following redirects. */
async function go(address: string, cookie = ''): Promise<Step> {
  const answer = await fetch(address, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
  const { status, headers } = answer;
  const set = headers.get('set-cookie')?.split(';')[0] ?? '';
  return { status, headers, location: headers.get('location') ?? '', cookie: set, text: await answer.text() };
}

/** Returns the cookie of a sign-on as if it was begun eleven minutes ago. */
function elevenMinutesOld(cookie: string): string {
  const [name = '', value = ''] = cookie.split('=');
  const flow = JSON.parse(Buffer.from(value, 'base64url').toString()) as { readonly until: number };
  return `${name}=${Buffer.from(JSON.stringify({ ...flow, until: flow.until - 660_000 })).toString('base64url')}`;
}

const tokenIn = ({ text }: Step): string => /data-token="([^"]+)"/.exec(text)?.[1] ?? '';

describe('single sign-on of administrators', () => {
  const provider = new OAuth2Server();
  let serving: Serving;
  let claims: Claims;
  let bossToken = '';
  let userInfo: Readonly<Record<string, unknown>> = {};
  let audience = 'panel';

  before(async () => {
    await provider.issuer.keys.generate('RS256');
    await provider.start(0, '127.0.0.1');
    provider.service.on('beforeTokenSigning', ({ payload }: { payload: Record<string, unknown> }) => {
      Object.assign(payload, claims, { aud: audience });
    });
    provider.service.on('beforeUserinfo', (response: { body: object }) => {
      response.body = { sub: claims.sub, ...userInfo };
    });
    const settings = { issuer: provider.issuer.url ?? '', clientId: 'panel', clientSecret: 'secret', claim: 'groups' };
    const roles = { web: editor, blog: 'Author', heads: 'strapi-super-admin', gone: 'No role' };
    const corp = { ...settings, name: 'corp', displayName: 'Corp', roles, allowedDomains: ['Corp.test'] };
    const linking = { ...settings, name: 'linking', displayName: 'Linking', claim: 'realm_access.roles', roles, link: true };
    serving = await serveModels({
      models: [],
      config: { admin: { rateLimit: { enabled: false }, sso: { providers: [corp, linking] } } },
    });
    const first = await send('POST', '/admin/register-admin', { email: 'boss@corp.test', firstname: 'Boss', password });
    bossToken = first.body.data.token as string;
  });
  after(async () => {
    await serving.stop();
    await provider.stop();
  });
  beforeEach(() => {
    [userInfo, audience] = [{}, 'panel'];
  });

  const person = (name: string, ...groups: readonly string[]): Claims => ({
    ...{ sub: name, email: `${name}@corp.test`, email_verified: true, given_name: name, groups },
    realm_access: { roles: groups },
  });

  const send = async (method: string, path: string, body?: unknown, token = ''): Promise<Answer> => {
    const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
    const { status, text } = await sendRequest({ url: `${serving.server.url}${path}`, method, headers, body });
    return { status, body: text === '' ? null : JSON.parse(text) };
  };

  /** From the first request to the return of the browser. `change` is what happens to the cookie and the address on the way. */
  async function signOn(
    name: string,
    who: Claims,
    change = (back: string, cookie: string) => [back, cookie] as const,
  ): Promise<Step> {
    claims = who;
    const begun = await go(`${serving.server.url}/admin/sso/${name}`);
    expect(begun.status).to.equal(302);
    const { location } = await go(begun.location);
    return go(...change(location, begun.cookie));
  }

  const me = async (step: Step) => (await send('GET', '/admin/users/me', undefined, tokenIn(step))).body.data;
  const codes = (user: { readonly roles: readonly { readonly code: string }[] }): string[] => user.roles.map(({ code }) => code);

  it('lists the providers for the page of the log-in', async () => {
    const { body } = await send('GET', '/admin/sso');
    expect(body.data).to.deep.equal({
      providers: [
        { name: 'corp', displayName: 'Corp', path: '/admin/sso/corp' },
        { name: 'linking', displayName: 'Linking', path: '/admin/sso/linking' },
      ],
      passwords: true,
    });
    expect((await send('GET', '/admin/sso/nobody')).status).to.equal(404);
  });

  it('keeps state, nonce and verifier in a cookie of ten minutes that only the callback gets', async () => {
    const { headers, location } = await go(`${serving.server.url}/admin/sso/corp`);
    expect(headers.get('set-cookie')).to.match(
      /^mangrove\.sso=[\w-]+; Path=\/admin\/sso\/corp\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    const asked = new URL(location).searchParams;
    expect(asked.get('code_challenge_method')).to.equal('S256');
    expect(['state', 'nonce', 'code_challenge'].every((name) => (asked.get(name) ?? '').length > 20)).to.equal(true);
    expect(asked.get('scope')).to.equal('openid email profile');
  });

  it('creates an administrator with the roles of the claim, and finds the same one again with other roles', async () => {
    const first = await signOn('corp', person('ann', 'web', 'unknown'));
    expect(first.status, first.text).to.equal(200);
    expect(first.headers.get('cache-control')).to.equal('no-store');
    const ann = await me(first);
    expect(ann).to.include({ email: 'ann@corp.test', firstname: 'ann', isActive: true });
    expect(codes(ann)).to.deep.equal([editor]);
    const again = await me(await signOn('corp', { ...person('ann', 'blog', 'web'), email: 'other@corp.test' }));
    expect([again.id, again.email, codes(again).sort()]).to.deep.equal([ann.id, 'ann@corp.test', [author, editor]]);
    const audit = await serving.database.db.collection('_audit').find({ who: 'ann@corp.test' }).toArray();
    expect(audit.map(({ body }) => Object.keys(body as object)[0])).to.deep.equal(['created', 'roles']);
  });

  it('creates one administrator for two first sign-ons of one person at once', async () => {
    const steps = await Promise.all([signOn('corp', person('twin', 'web')), signOn('corp', person('twin', 'web'))]);
    const ids = await Promise.all(steps.map(async (step) => (await me(step)).id));
    expect(ids[0]).to.equal(ids[1]);
    expect(await serving.database.db.collection('admin_users').countDocuments({ email: 'twin@corp.test' })).to.equal(1);
  });

  it('leaves super admins their log-in by password', async () => {
    expect((await send('POST', '/admin/login', { email: 'boss@corp.test', password })).status).to.equal(200);
  });

  it('gives all rights only if the roles of the provider name the super admin', async () => {
    expect(codes(await me(await signOn('corp', person('head', 'heads'))))).to.deep.equal(['strapi-super-admin']);
    expect(codes(await me(await signOn('corp', person('head', 'blog'))))).to.deep.equal([author]);
  });

  it('asks for the claims that a token lacks', async () => {
    userInfo = { email: 'lean@corp.test', email_verified: true, groups: ['blog'] };
    expect(await me(await signOn('corp', { sub: 'lean' }))).to.include({ email: 'lean@corp.test' });
  });

  it('takes the address and whether it is verified from one answer', async () => {
    userInfo = { email: 'own@corp.test', email_verified: true };
    const unverified = { sub: 'own', email: 'boss@corp.test', realm_access: { roles: ['web'] } };
    expect(await me(await signOn('linking', unverified))).to.include({ email: 'own@corp.test' });
  });

  it('takes the roles of somebody who has none any more', async () => {
    const step = await signOn('corp', person('kim', 'web'));
    expect((await signOn('corp', person('kim'))).status).to.equal(403);
    expect((await me(step)).roles).to.deep.equal([]);
  });

  it('keeps the address of its administrators', async () => {
    const token = tokenIn(await signOn('corp', person('lea', 'web')));
    expect((await send('PUT', '/admin/users/me', { email: 'victim@corp.test' }, token)).status).to.equal(400);
    expect((await send('PUT', '/admin/users/me', { email: 'lea@corp.test', username: 'Lea' }, token)).status).to.equal(200);
  });

  it('gives nobody a wider role by its new name', async () => {
    const roles = (await send('GET', '/admin/roles', undefined, bossToken)).body.data;
    const idOf = (wanted: string) => roles.find(({ code }: { readonly code: string }) => code === wanted).id;
    const admins = serving.database.db.collection<{ _id: number }>('admin_permissions');
    await admins.insertOne({ _id: 9_000, action: 'admin::roles.update', subject: null, role: idOf(author) } as never);
    await serving.settled();
    const token = tokenIn(await signOn('corp', person('max', 'blog')));
    const rename = (code: string, name: string) => send('PUT', `/admin/roles/${String(idOf(code))}`, { name }, token);
    expect((await rename(author, 'No role')).status).to.equal(200);
    await send('PUT', `/admin/roles/${String(idOf(author))}`, { name: 'Author' }, bossToken);
    const { body } = await send('POST', '/admin/roles', { name: 'Strong' }, bossToken);
    const all = { permissions: [{ action: 'admin::users.delete', subject: null, properties: {}, conditions: [] }] };
    expect((await send('PUT', `/admin/roles/${String(body.data.id)}/permissions`, all, bossToken)).status).to.equal(200);
    expect((await send('PUT', `/admin/roles/${String(body.data.id)}`, { name: 'No role' }, token)).status).to.equal(403);
    expect((await send('PUT', `/admin/roles/${String(body.data.id)}`, { name: 'Weak' }, token)).status).to.equal(200);
  });

  it('keeps a second sign-on of the browser when the first one fails', async () => {
    const forgets = (step: Step): boolean => /Max-Age=0/.test(step.headers.get('set-cookie') ?? '');
    const stale = (back: string, cookie: string) => [back.replace(/state=[^&]+/, 'state=other'), cookie] as const;
    expect(forgets(await signOn('corp', person('eva', 'web'), stale))).to.equal(false);
    expect(forgets(await signOn('corp', person('eva', 'web')))).to.equal(true);
  });

  const refused: readonly [title: string, who: () => Claims, status: number, text: RegExp][] = [
    ['without a role', () => person('dan'), 403, /gives no role/],
    ['whose roles do not exist', () => person('dan', 'gone'), 403, /gives no role/],
    ['whose address is not verified', () => ({ ...person('dan', 'web'), email_verified: false }), 403, /not verified/],
    ['whose address is verified by a text', () => ({ ...person('dan', 'web'), email_verified: 'true' }), 403, /not verified/],
    [
      'of another domain',
      () => ({ ...person('dan', 'web'), email: 'dan@corp.test.evil' }),
      403,
      /corp\.test\.evil are not let in/,
    ],
    [
      'whose address would be cut',
      () => ({ ...person('dan', 'web'), email: `${'a'.repeat(250)}@corp.test.evil` }),
      403,
      /not verified/,
    ],
    [
      'whose address looks like another',
      () => ({ ...person('dan', 'web'), email: 'boss@corp.test'.replace('o', 'о') }),
      403,
      /not verified/,
    ],
    ['with another nonce', () => ({ ...person('dan', 'web'), nonce: 'other' }), 400, /did not confirm/],
    ['of another issuer', () => ({ ...person('dan', 'web'), iss: 'https://evil.test' }), 400, /did not confirm/],
    ['with the address of another administrator', () => person('boss', 'heads'), 409, /has this e-mail address/],
  ];
  for (const [title, who, status, text] of refused)
    it(`refuses somebody ${title}`, async () => {
      const step = await signOn('corp', who());
      expect([step.status, tokenIn(step)]).to.deep.equal([status, '']);
      expect(step.text).to.match(text);
      expect(await serving.database.db.collection('admin_users').countDocuments({ email: /^dan/ })).to.equal(0);
    });

  it('refuses a token for another client', async () => {
    audience = 'other';
    expect((await signOn('corp', person('dan', 'web'))).status).to.equal(400);
  });

  it('accepts the return of a browser once, and only in the browser that has begun', async () => {
    let kept: readonly [string, string] = ['', ''];
    const keep = (back: string, cookie: string) => (kept = [back, cookie]);
    expect((await signOn('corp', person('eva', 'web'), keep)).status).to.equal(200);
    expect((await go(...kept)).text).to.match(/was used before/);
    for (const change of [
      (back: string) => [back, ''] as const,
      (back: string) => [back, 'mangrove.sso=e30'] as const,
      (back: string, cookie: string) => [back.replace(/state=[^&]+/, 'state=other'), cookie] as const,
      (back: string, cookie: string) => [back, elevenMinutesOld(cookie)] as const,
    ])
      expect((await signOn('corp', person('eva', 'web'), change)).status).to.equal(400);
  });

  it('lets nobody in who is blocked or not active', async () => {
    const { id } = await me(await signOn('corp', person('fay', 'web')));
    const administrators = serving.database.db.collection<{ _id: number }>('admin_users');
    for (const state of [
      { blocked: true, isActive: true },
      { blocked: false, isActive: false },
    ]) {
      await administrators.updateOne({ _id: id }, { $set: state });
      expect((await signOn('corp', person('fay', 'web'))).status).to.equal(403);
    }
  });

  it('links an administrator of the same address only where the provider says so, and never a super admin with a password', async () => {
    const invited = await send('POST', '/admin/users', { email: 'gil@corp.test', firstname: 'Gil', roles: [2] }, bossToken);
    const { registrationToken } = invited.body.data;
    const own = { registrationToken, userInfo: { firstname: 'Gil', password } };
    const former = (await send('POST', '/admin/register', own)).body.data.token;
    expect((await signOn('corp', person('gil', 'blog'))).status).to.equal(409);
    const gil = await me(await signOn('linking', person('gil', 'blog')));
    expect([gil.id, codes(gil)]).to.deep.equal([invited.body.data.id, [author]]);
    expect((await send('GET', '/admin/users/me', undefined, former)).status, 'former sessions end').to.equal(401);
    expect((await signOn('linking', person('boss', 'heads'))).status).to.equal(409);
    expect((await signOn('linking', { ...person('gil', 'blog'), sub: 'another gil' })).status).to.equal(409);
  });

  it('links somebody who was invited', async () => {
    await send('POST', '/admin/users', { email: 'hal@corp.test', firstname: 'Hal', roles: [2] }, bossToken);
    expect(await me(await signOn('linking', person('hal', 'web')))).to.include({ email: 'hal@corp.test', isActive: true });
  });

  it('gives its administrators no log-in by password', async () => {
    const step = await signOn('corp', person('ivy', 'web'));
    const { id } = await me(step);
    const changed = await send('PUT', `/admin/users/${String(id)}`, { password }, bossToken);
    expect([changed.status, changed.body.error.message]).to.deep.equal([
      400,
      'password cannot be set, because the administrator logs in by single sign-on',
    ]);
    expect((await send('PUT', '/admin/users/me', { password, currentPassword: '' }, tokenIn(step))).status).to.equal(400);
    expect((await send('POST', '/admin/login', { email: 'ivy@corp.test', password })).status).to.equal(400);
  });

  it('keeps the token of a sign-on when the panel renews it, so that the provider is asked again when it ends', async () => {
    const token = tokenIn(await signOn('corp', person('jo', 'web')));
    expect((await send('POST', '/admin/renew-token', { token })).body.data.token).to.equal(token);
  });
});

describe('single sign-on alone', () => {
  let serving: Serving;
  before(async () => {
    const settings = {
      issuer: 'https://corp.test',
      clientId: 'panel',
      clientSecret: 'secret',
      claim: 'groups',
      roles: { a: 'b' },
    };
    const sso = { only: true, providers: [{ ...settings, name: 'corp', displayName: 'Corp' }] };
    serving = await serveModels({ models: [], config: { admin: { sso } } });
  });
  after(() => serving.stop());

  for (const [path, body] of [
    ['/admin/login', { email: 'a@b.test', password }],
    ['/admin/register', { registrationToken: 'a', userInfo: { firstname: 'A', password } }],
    ['/admin/register-admin', { email: 'a@b.test', firstname: 'A', password }],
    ['/admin/forgot-password', { email: 'a@b.test' }],
    ['/admin/reset-password', { resetPasswordToken: 'a', password }],
  ] as const)
    it(`refuses POST ${path}`, async () => {
      const { status, body: answered } = await serving.call('POST', path, body);
      expect([status, answered.error.message]).to.deep.equal([400, 'Log-ins by password are switched off. Use single sign-on.']);
    });

  it('shows the page of the log-in instead of a registration', async () => {
    expect((await serving.call('GET', '/admin/init')).body.data.hasAdmin).to.equal(true);
    expect((await serving.call('GET', '/admin/sso')).body.data.passwords).to.equal(false);
  });
});

describe('settings of single sign-on', () => {
  const settings = { issuer: 'https://corp.test', clientId: 'panel', clientSecret: 'secret', claim: 'groups', roles: { a: 'b' } };
  const corp = { ...settings, name: 'corp', displayName: 'Corp' };
  const database = { uri: 'mongodb://127.0.0.1:1/never?replicaSet=rs0' };
  const start = (sso: object, environment = 'development') =>
    createService({ config: { environment, database, admin: { sso } } }).then(() => null, String);

  it('are accepted', async () => {
    expect(await start({ providers: [corp] })).to.equal(null);
  });
  for (const [title, sso, text] of [
    ['only without a provider', { only: true }, 'admin.sso.only needs a provider'],
    ['two providers of one name', { providers: [corp, corp] }, 'has the name corp twice'],
    ['a provider without TLS', { providers: [{ ...corp, issuer: 'http://corp.test' }] }, 'issuer'],
    ['a provider without roles', { providers: [{ ...corp, roles: {} }] }, 'roles'],
  ] as const)
    it(`refuse ${title}`, async () => {
      expect(await start(sso)).to.contain(text);
    });
  it('need the public address in production', async () => {
    expect(await start({ providers: [corp] }, 'production')).to.contain('admin.sso.providers needs server.url');
  });
});
