import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { runCli } from '../../support/run-cli.js';
import { serveModels } from '../../support/serve.js';

/** Published flaws of Strapi in its headers, its documentation and its commands. The page docs/security-of-v4.md names these tests. */
describe('flaws of Strapi v4: the service', () => {
  it('CVE-2025-53092: no origin that is not configured may send credentials', async () => {
    const serving = await serveModels({ models: [collectionType('note', { text: { type: 'string' } })] });
    try {
      for (const origin of ['http://localhost:8888', 'https://evil.test', 'null'])
        for (const method of ['GET', 'OPTIONS']) {
          const headers = { origin, 'access-control-request-method': 'POST' };
          const { headers: answer } = await fetch(`${serving.server.url}/api/notes`, { method, headers });
          expect([answer.get('access-control-allow-origin'), answer.get('access-control-allow-credentials')]).to.deep.equal([
            '*',
            null,
          ]);
        }
    } finally {
      await serving.stop();
    }
  });

  it('CVE-2021-46440: the documentation of the API has no password, and sets no cookie', async () => {
    const serving = await serveModels({ models: [collectionType('note', { text: { type: 'string' } })] });
    try {
      const body = new URLSearchParams({ password: 'Secret123' });
      const send = (path: string, init: RequestInit = {}) =>
        fetch(`${serving.server.url}${path}`, { ...init, redirect: 'manual' });
      const document = await send('/api/openapi.json');
      expect([document.status, document.headers.get('set-cookie')]).to.deep.equal([200, null]);
      const paths = ['/documentation', '/documentation/v1.0.0', '/documentation/login'];
      for (const [path, init] of paths.flatMap((one) => [[one] as const, [one, { method: 'POST', body }] as const])) {
        const answer = await send(path, init);
        expect(answer.headers.get('set-cookie'), path).to.equal(null);
        expect(answer.status, path).to.be.oneOf([404, 405]);
      }
    } finally {
      await serving.stop();
    }
  });

  it('CVE-2022-0764: the name of a new project is no command', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mangrove-new-'));
    try {
      const name = 'app; touch ran; $(touch ran)';
      const { exitCode } = await runCli('new', [name], { directory, env: {} });
      expect(exitCode).to.equal(0);
      expect(existsSync(join(directory, 'ran'))).to.equal(false);
      const { name: written } = JSON.parse(await readFile(join(directory, name, 'package.json'), 'utf8')) as {
        readonly name: string;
      };
      expect(written).to.match(/^[a-z0-9-]+$/);
      expect((await runCli('new', ['other', '--template', 'x'], { directory, env: {} })).exitCode).to.not.equal(0);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
