import { expect } from 'chai';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authenticator } from '#content/rights/authenticate.js';
import { createMailer } from '#accounts/mail/mailer.js';
import type { Config } from '#settings/config.js';
import { createConfig } from '#settings/create-config.js';
import { loadSecrets } from '#settings/load-secrets.js';
import { diskStorage } from '#media/storage/disk-storage.js';
import { noObserver } from '#base/observe/observer.js';

describe('folders that the service makes', () => {
  const makers: Readonly<Record<string, (config: Config) => Promise<unknown>>> = {
    secrets: loadSecrets,
    uploads: ({ directory }) =>
      diskStorage(join(directory, 'data/uploads')).write('0123456789ab', [Buffer.from('x')], 'text/plain'),
    mail: async (config) => {
      const settings = () => Promise.reject(new Error('only templates need settings'));
      const authenticator = { settings } as unknown as Authenticator; // all that it uses
      await createMailer({
        config,
        observer: noObserver,
        authenticator,
        limits: null,
        address: { url: '', adminUrl: '' },
      }).deliver({
        to: 'ann@mail.test',
        subject: 's',
        text: 't',
      });
    },
  };
  for (const [name, make] of Object.entries(makers))
    it(`${name}: nobody else opens them, or reads a file`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'mangrove-private-'));
      const former = process.umask(0o022);
      try {
        await make({ ...createConfig({ admin: { secretsFile: join(directory, 'data/secrets.json') } }), directory });
        const entries = await readdir(directory, { recursive: true, withFileTypes: true });
        for (const entry of entries) {
          const { mode } = await stat(join(entry.parentPath, entry.name));
          expect((mode & (entry.isDirectory() ? 0o777 : 0o007)).toString(8), entry.name).to.equal(
            entry.isDirectory() ? '700' : '0',
          );
        }
        expect(entries.filter((entry) => entry.isDirectory()).length).to.be.greaterThan(0);
      } finally {
        process.umask(former);
        await rm(directory, { recursive: true });
      }
    });
});
