import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { sendAs, serveAccounts, storedUser, type ServingAccounts } from '../content/rights/serve-accounts.js';
import { openAdministrators } from '../support/administrators.js';
import { awaitMail, readMails } from '../support/mails.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const letter = { to: 'bob@example.org', from: 'shop@example.org', subject: 'An order', text: 'It is on its way.' };

/** Bodies that are refused, and the message. */
const refused: readonly (readonly [body: object, message: string])[] = [
  [{ ...letter, attachments: [{ path: '/etc/hostname' }] }, 'attachments is not a part of e-mails that clients send'],
  [{ ...letter, text: { path: '/etc/hostname' } }, 'text must be a text'],
  [{ ...letter, from: ['a@example.org'] }, 'from must be a text'],
  [{ ...letter, to: [1] }, 'to must be a text'],
  [{ ...letter, to: ' ' }, 'No recipient(s) are given'],
  [{ subject: 'An order' }, 'No recipient(s) are given'],
];

describe('POST /api/email', () => {
  let server: ServingAccounts;
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-email-route-'));
    server = await serveAccounts({ config: { directory }, documents: { up_users: [await storedUser(1, 'ann')] } });
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  it('is for those who may send e-mails', async () => {
    expect(await server.call('POST', '/api/email', letter)).to.have.property('status', 403);
    await server.admin('PUT', '/roles/2', { actions: ['plugin::email.email.send'] });
    expect(await server.call('POST', '/api/email', letter)).to.deep.equal({ status: 200, body: {} });
    const mail = await awaitMail(directory, 'It is on its way.');
    expect(mail).to.include('To: bob@example.org').and.include('From: shop@example.org').and.include('Subject: An order');
  });

  it('takes 20 addresses, and more of API tokens', async () => {
    const to = Array.from({ length: 21 }, (_, n) => `a${String(n)}@example.org`);
    const answer = await server.call('POST', '/api/email', { ...letter, to: to.slice(1).join(','), cc: to[0] });
    expect([answer.status, answer.body.error?.message]).to.deep.equal([
      400,
      'An e-mail has at most 20 addresses, but for API tokens',
    ]);
    expect((await server.call('POST', '/api/email', { ...letter, to: to.slice(1) })).status).to.equal(200);
    const { body } = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    expect((await server.as(body.data.accessKey, 'POST', '/api/email', { ...letter, to })).status).to.equal(200);
  });

  it('sends to several, from the sender of the configuration', async () => {
    const body = {
      to: ['bob@example.org', 'cat@example.org'],
      cc: 'dan@example.org, eve@example.org',
      subject: 'b',
      html: '<p>several</p>',
    };
    expect(await server.call('POST', '/api/email', body)).to.deep.equal({ status: 200, body: {} });
    const mail = await awaitMail(directory, 'several');
    expect(mail).to.include('To: bob@example.org, cat@example.org').and.include('Cc: dan@example.org, eve@example.org');
  });

  it('is limited as log-ins are, but for API tokens', async () => {
    const config = { plugins: { 'users-permissions': { config: { ratelimit: { enabled: true, max: 2 } } } } };
    const limited = await serveAccounts({ config: { directory, ...config } });
    try {
      await limited.admin('PUT', '/roles/2', { actions: ['plugin::email.email.send'] });
      const send = async (to: string) => (await limited.call('POST', '/api/email', { ...letter, to })).status;
      expect([await send('a@example.org'), await send('b@example.org'), await send('c@example.org')]).to.deep.equal([
        200, 200, 429,
      ]);
      const { body } = await limited.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
      const sent = await limited.as(body.data.accessKey, 'POST', '/api/email', { ...letter, to: 'd@example.org' });
      expect(sent.status).to.equal(200);
    } finally {
      await limited.stop();
    }
  });

  for (const [body, message] of refused)
    it(`refuses ${JSON.stringify(body)}`, async () => {
      const count = (await readMails(directory)).length;
      const answer = await server.call('POST', '/api/email', body);
      expect(answer.status).to.equal(400);
      expect(answer.body.error).to.have.property('name', 'ValidationError');
      expect(answer.body.error.message).to.include(message);
      expect(await readMails(directory)).to.have.length(count);
    });
});

const email = {
  uid: 'api::email.email',
  kind: 'collectionType',
  info: { singularName: 'email', pluralName: 'emails', displayName: 'E-mail' },
  attributes: { text: { type: 'string' } },
} as const;

const single = { ...email, kind: 'singleType' } as const;

describe('a content type called email', () => {
  for (const model of [email, single])
    it(`keeps its path as a ${model.kind}`, async () => {
      const serving = await serveProject({}, { models: [model] });
      const path = model === single ? '/api/email' : '/api/emails';
      const answer = await serving.call(model === single ? 'PUT' : 'POST', path, { data: { text: 'a' } });
      expect(answer.body.data.attributes).to.have.property('text', 'a');
      expect((await serving.call('GET', path)).status).to.equal(200);
      await serving.stop();
    });
});

describe('src/extensions/email', () => {
  let serving: ServedProject;
  before(async () => {
    const code = `module.exports = (plugin) => {
      const given = plugin.controllers.email.send;
      plugin.controllers.email.send = async (ctx) => {
        ctx.request.body.to = ctx.request.body.to ?? 'desk@example.org';
        if (ctx.request.body.subject === undefined) return ctx.badRequest('no subject');
        await given(ctx);
        ctx.body = { ...ctx.body, to: ctx.request.body.to };
      };
      plugin.routes['content-api'].routes.push({ method: 'GET', path: '/ping', handler: () => 'pong', config: { auth: false } });
      return plugin;
    };`;
    serving = await serveProject({ 'src/extensions/email/strapi-server.js': code }, { models: [] });
  });
  after(() => serving.stop());

  it('changes the action, which it may call', async () => {
    const sent = await serving.call('POST', '/api/email', { subject: 'a', text: 'b' });
    expect(sent).to.deep.equal({ status: 200, body: { to: 'desk@example.org' } });
    expect((await serving.call('POST', '/api/email', { text: 'b' })).body.error).to.have.property('message', 'no subject');
  });

  it('keeps the limit, which API tokens do not have', async () => {
    const code = `module.exports = (plugin) => {
      const given = plugin.controllers.email.send;
      plugin.controllers.email.send = (ctx) => given(ctx);
      return plugin;
    };`;
    const config = {
      admin: { enabled: true },
      plugins: { 'users-permissions': { config: { ratelimit: { enabled: true, max: 1 } } } },
    };
    const limited = await serveProject({ 'src/extensions/email/strapi-server.js': code }, { models: [], config });
    try {
      const panel = await openAdministrators(limited, {});
      const token = { name: 'all', description: '', type: 'full-access', lifespan: null };
      const created = await panel('super', 'POST', '/admin/api-tokens', token);
      const send = (key?: string) =>
        sendAs(key ?? null, 'POST', `${limited.server.url}/api/email`, { to: 'bob@example.org', text: 'b' });
      const statuses = [
        await send(),
        await send(),
        await send(created.body.data.accessKey),
        await send(created.body.data.accessKey),
      ];
      expect(statuses.map(({ status }) => status)).to.deep.equal([200, 429, 200, 200]);
    } finally {
      await limited.stop();
    }
  });

  it('adds routes below the plugin', async () => {
    expect(await serving.call('GET', '/api/email/ping')).to.deep.equal({ status: 200, body: 'pong' });
  });
});
