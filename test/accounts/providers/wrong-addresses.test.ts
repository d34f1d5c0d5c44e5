import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { createConfig } from '#settings/create-config.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';
const client = { clientId: 'app', clientSecret: 'app-secret' };
const stored = { enabled: true, key: 'app', secret: 'app-secret' };

/** What issuers say of themselves, by their names. */
const issuers: Readonly<Record<string, object>> = {
  spaced: { authorization_endpoint: 'https://a b/', jwks_uri: 'https://a b/', introspection_endpoint: 'https://a b/' },
  silent: {},
  scripted: { authorization_endpoint: 'javascript://localhost/x', jwks_uri: 'ftp://localhost/x' },
};

/** Settings that are stored, as a database of Strapi v4 may have them. */
const grants: Readonly<Record<string, object>> = {
  auth0: { ...stored, subdomain: 'a:99999' },
  keycloak: { ...stored, subdomain: 'a.test:99999/realms/b' },
  cognito: { ...stored, subdomain: '1.2.3.999' },
  cas: { ...stored, subdomain: 'a b' },
  club: { ...stored, authorize_url: 'https://a b/', access_url: 'https://a b/' },
  script: { ...stored, authorize_url: 'javascript://localhost/x', access_url: 'https://a.test/' },
  files: { ...stored, authorize_url: 'https://a.test/', access_url: 'ftp://localhost/x' },
};

/** Settings of config/plugins, with the error. */
const refused: readonly (readonly [settings: object, message: string])[] = [
  [{ issuer: 'https://a b' }, 'club.issuer must be an address that begins with https://'],
  [{ issuer: 'https://a.test:99999/' }, 'club.issuer must be an address that begins with https://'],
  [{ issuer: 'https://a.test', redirect: 'https://a b' }, 'club.redirect must be an address that begins with http://'],
];

describe('wrong addresses of log-in providers', () => {
  let service: Server;
  let server: ServingAccounts;
  before(async () => {
    service = createServer((request, response) => {
      const name = request.url?.split('/')[1] ?? '';
      const issuer = `http://127.0.0.1:${String((service.address() as AddressInfo).port)}/${name}`;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ issuer, ...issuers[name] }));
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const base = `http://127.0.0.1:${String((service.address() as AddressInfo).port)}`;
    const providers = Object.fromEntries(Object.keys(issuers).map((name) => [name, { ...client, issuer: `${base}/${name}` }]));
    const config = { jwtSecret, ratelimit: { enabled: false }, providers };
    server = await serveAccounts({
      config: { plugins: { 'users-permissions': { config } } },
      documents: { _code_store: [{ _id: 'plugin_users-permissions_grant', value: grants }] },
    });
  });
  after(async () => {
    await server.stop();
    service.close();
  });

  const answerTo = async (path: string) => {
    const { status, body } = await server.as(null, 'GET', path);
    return [status, body?.error.message];
  };

  for (const name of Object.keys(grants))
    it(`a stored ${name} is disabled`, async () => {
      expect(await answerTo(`/api/connect/${name}`)).to.deep.equal([400, 'This provider is disabled']);
    });

  const token = jwt.sign({ sub: '1' }, 'any');
  for (const name of Object.keys(issuers)) {
    const failure = [502, `The provider ${name} did not answer as expected`];
    it(`the issuer ${name} is the cause of a failed log-in in a browser`, async () => {
      expect(await answerTo(`/api/connect/${name}`)).to.deep.equal(failure);
    });
    it(`the issuer ${name} is the cause if a token cannot be verified`, async () => {
      expect(await answerTo(`/api/auth/${name}/callback?id_token=${token}`)).to.deep.equal(failure);
    });
  }

  it('introspection at no address is a failure of the provider', async () => {
    const failure = [502, 'The provider spaced did not answer as expected'];
    expect(await answerTo('/api/auth/spaced/callback?access_token=opaque')).to.deep.equal(failure);
  });

  for (const [settings, message] of refused)
    it(`the configuration ${JSON.stringify(settings)} is refused, in one line`, () => {
      const providers = { club: { ...client, ...settings } };
      const error: unknown = catchError(() => createConfig({ plugins: { 'users-permissions': { config: { providers } } } }));
      expect(String(error).split(message)).to.have.length(2);
    });
});

function catchError(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
