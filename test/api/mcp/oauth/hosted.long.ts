import { Client, type OAuthClientProvider, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { password, type ServingAccounts } from '../../../content/rights/serve-accounts.js';
import { openPagesOf } from '../../../support/find-chromium.js';
import { callback, serveOAuth } from './flow.js';

type Loaded<Name extends 'clientInformation' | 'tokens'> = Awaited<ReturnType<OAuthClientProvider[Name]>>;

/** What a hosted client keeps of a user, and the pages that it has sent the user to. */
class HostedClient implements OAuthClientProvider {
  readonly redirectUrl = callback;
  readonly clientMetadata = {
    client_name: 'Hosted chat',
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  };
  readonly pages: URL[] = [];
  kept: Loaded<'tokens'>;
  readonly clientMetadataUrl?: string;
  #client: Loaded<'clientInformation'>;
  #verifier = '';

  constructor(address?: string) {
    if (address !== undefined) this.clientMetadataUrl = address;
  }

  state = () => 'state of the chat';
  clientInformation = () => this.#client;
  saveClientInformation = (client: Loaded<'clientInformation'>) => void (this.#client = client);
  tokens = () => this.kept;
  saveTokens = (tokens: Loaded<'tokens'>) => void (this.kept = tokens);
  redirectToAuthorization = (page: URL) => void this.pages.push(page);
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
  invalidateCredentials = () => void (this.kept = undefined);
}

describe('a hosted client', () => {
  let server: ServingAccounts;
  let ann: { readonly jwt: string };

  before(async () => {
    server = await serveOAuth();
    ann = await server.addUser('ann');
    const expiresAt = new Date(Date.now() + 3_600_000);
    const document = {
      _id: 'https://chat.test/client.json',
      kind: 'document',
      name: 'Chat',
      redirectUris: [callback],
      expiresAt,
    };
    await server.database.db.collection<{ readonly _id: string }>('_oauth_clients').insertOne(document);
  });
  after(() => server.stop());

  const openPage = openPagesOf('OAuth');

  /** Connects with what the client keeps. Throws an UnauthorizedError if the user must be asked. */
  const connect = async (provider: HostedClient) => {
    const transport = new StreamableHTTPClientTransport(new URL(`${server.server.url}/mcp`), { authProvider: provider });
    const client = new Client({ name: 'hosted', version: '1' });
    const error: unknown = await client.connect(transport).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return { client, transport, error };
  };

  /** Opens a page of the log-in, and returns the parameters with which the browser comes back to the client. */
  const decide = async (page: Page, address: URL, choose: (page: Page) => Promise<void>): Promise<URLSearchParams> => {
    await page.route('https://agent.test/**', (route) => route.fulfill({ body: 'Back in the chat' }));
    await page.goto(address.href);
    await page.getByLabel('Name or e-mail address').fill('ann');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Invalid identifier or password').waitFor();
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    await choose(page);
    await page.waitForURL('https://agent.test/**');
    return new URL(page.url()).searchParams;
  };

  for (const [what, address] of [
    ['that registers', undefined],
    ['with a document', 'https://chat.test/client.json'],
  ] as const)
    it(`${what} finds the server, asks the user in a browser, uses tools, refreshes, and is told of the end`, async () => {
      const provider = new HostedClient(address);
      const first = await connect(provider);
      expect(first.error).to.be.instanceOf(UnauthorizedError);
      const page = await openPage();
      const wrong: string[] = [];
      page.on(
        'console',
        (message) => message.type() === 'error' && !message.text().includes('400') && wrong.push(message.text()),
      );
      const [asked] = provider.pages;
      if (asked === undefined) throw new Error('the client has not asked');
      const parameters = await decide(page, asked, async () => {
        expect(await page.locator('main').innerText()).to.include(address === undefined ? 'Hosted chat' : 'chat.test');
        await page.getByLabel('Publish and unpublish content').uncheck();
        await page.getByRole('button', { name: 'Allow' }).click();
      });
      expect(wrong).to.deep.equal([]);
      expect(parameters.get('state')).to.equal('state of the chat');
      await first.transport.finishAuth(parameters);
      expect(provider.kept?.scope).to.equal('content:read content:write');

      const { client, error } = await connect(provider);
      expect(error).to.equal(null);
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).to.include.members(['find', 'create']).and.not.include('publish');
      const made = await client.callTool({ name: 'create', arguments: { type: 'article', data: { title: 'by a chat' } } });
      expect(made.isError).to.not.equal(true);

      const { refresh_token: used } = provider.kept ?? {};
      if (provider.kept !== undefined) provider.kept = { ...provider.kept, access_token: `${provider.kept.access_token}x` };
      const found = await client.callTool({ name: 'find', arguments: { type: 'article' } });
      expect(found.isError).to.not.equal(true);
      expect(provider.kept?.refresh_token).to.not.equal(used);

      const { body: grants } = await server.as(ann.jwt, 'GET', '/api/users/me/grants');
      expect(grants[0].client.name).to.equal(address === undefined ? 'Hosted chat' : 'Chat');
      await server.as(ann.jwt, 'DELETE', `/api/users/me/grants/${String(grants[0].id)}`);
      const ended: unknown = await client.listTools().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(ended).to.be.instanceOf(Error);
      expect(provider.pages.length).to.equal(2);
      await client.close();
      await page.close();
    });

  it('is told when the user denies access', async () => {
    const provider = new HostedClient();
    const { transport } = await connect(provider);
    const page = await openPage();
    const [asked] = provider.pages;
    if (asked === undefined) throw new Error('the client has not asked');
    const parameters = await decide(page, asked, () => page.getByRole('button', { name: 'Deny' }).click());
    expect(parameters.get('error')).to.equal('access_denied');
    expect(await transport.finishAuth(parameters).catch(String)).to.be.a('string');
    await page.close();
  });
});
