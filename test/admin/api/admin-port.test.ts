import { expect } from 'chai';
import { createServer, type AddressInfo } from 'node:net';
import { createConfig } from '#settings/create-config.js';
import { sectionsWith } from '#settings/sections.js';
import { features } from '#features.js';
import { adminToken, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

/** Returns a port that is free now. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // it listens on a port
      server.close(() => {
        resolve(port);
      });
    });
  });
}

/** Requests with an admin token, and their status at the port of the API and at that of the admin API. */
const cases: readonly (readonly [at: string, open: number, admin: number])[] = [
  ['GET /admin/api/status', 404, 200],
  ['GET /admin/api/models', 404, 200],
  ['GET /admin/api/nothing', 404, 404],
  ['POST /admin/api/models/validate', 404, 400],
  ['POST /admin/login', 404, 400],
  ['GET /admin/init', 404, 200],
  ['GET /content-manager/content-types', 404, 401],
  ['GET /admin', 404, 404],
  ['DELETE /admin/api/status', 404, 405],
  ['GET /_health', 204, 204],
  ['GET /_health/ready', 200, 200],
  ['GET /api/articles?explain=true', 200, 200],
];

describe('admin.port', () => {
  let serving: ServingAccounts;
  let port: number;
  before(async () => {
    port = await freePort();
    serving = await serveAccounts({ config: { admin: { port } } });
  });
  after(() => serving.stop());

  const ask = async (base: string, at: string): Promise<number> => {
    const [method = '', path = ''] = at.split(' ');
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const answer = await fetch(`${base}${path}`, { method, headers, ...(method === 'POST' && { body: '{}' }) });
    return answer.status;
  };

  for (const [at, open, admin] of cases)
    it(`${at}: ${String(open)}, and ${String(admin)} at the port of the admin API`, async () => {
      const statuses = await Promise.all([ask(serving.server.url, at), ask(`http://127.0.0.1:${String(port)}`, at)]);
      expect(statuses).to.deep.equal([open, admin]);
    });

  it('answers 404 as for an unknown path', async () => {
    const [hidden, unknown] = await Promise.all(
      ['/admin/api/status', '/unknown'].map((path) => fetch(`${serving.server.url}${path}`).then((answer) => answer.text())),
    );
    expect(hidden).to.equal(unknown);
  });

  it('is closed with the service, and says which setting chooses another', async () => {
    const config = { admin: { port } };
    const error: unknown = await serveAccounts({ config }).then(
      (other) => other.stop(),
      (reason: unknown) => reason,
    );
    expect(String(error)).to.contain(`port ${String(port)} is in use; choose another with ADMIN_PORT`);
  });

  for (const [written, isRight] of [
    [9000, true],
    [null, true],
    [0, false],
    ['all', false],
  ] as const)
    it(`${JSON.stringify(written)} is ${isRight ? 'accepted' : 'refused'}`, () => {
      const make = () => createConfig({ admin: { port: written } } as never, sectionsWith(features));
      if (isRight) expect(make).to.not.throw();
      else expect(make).to.throw(/admin: port/);
    });
});
