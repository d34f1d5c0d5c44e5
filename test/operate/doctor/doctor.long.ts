import { rm, writeFile, mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Db } from 'mongodb';
import type { NamedFinding } from '#operate/doctor/checks.js';
import { startS3, type S3Server } from '../../media/storage/start-s3.js';
import { runCli } from '../../support/run-cli.js';
import { article, type FitService, startFit } from './fit-service.js';

interface Report {
  readonly ok: boolean;
  readonly problems: number;
  readonly advice: number;
  readonly checks: readonly NamedFinding[];
}

/** What is changed in a fit service. */
interface Changed {
  readonly env?: Readonly<Record<string, string>>;
  /** Texts of files in the working directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** Changes the database. Returns what undoes it. */
  readonly stored?: (db: Db) => Promise<() => Promise<unknown>>;
}

type Case = readonly [changed: Changed, check: string, state: NamedFinding['state'], text: RegExp];

const setting = (file: string, values: object): Changed => ({
  files: { [`config/${file}.json`]: JSON.stringify(values) },
});

/** Grants actions to a role, 1 for users and 2 for the public. */
const granted =
  (role: number, ...actions: readonly string[]) =>
  async (db: Db): Promise<() => Promise<unknown>> => {
    const permissions = db.collection<{ _id: number; action: string; role: number }>('up_permissions');
    await permissions.insertMany(actions.map((action, index) => ({ _id: 900 + index, action, role })));
    return () => permissions.deleteMany({ _id: { $gte: 900 } });
  };

const inserted =
  (collection: string, document: { readonly _id: string | number; readonly [key: string]: unknown }) =>
  async (db: Db): Promise<() => Promise<unknown>> => {
    const documents = db.collection<{ _id: string | number }>(collection);
    await documents.replaceOne({ _id: document._id }, document, { upsert: true });
    return () => documents.deleteOne({ _id: document._id });
  };

const advanced = (values: object): Changed => ({
  stored: inserted('_settings', { _id: 'users-permissions', advanced: values }),
});

const state = (values: object): Changed => ({
  stored: inserted('_model_status', {
    _id: 'other:1:ff/api::article.article',
    uid: article.uid,
    instance: 'other:1:ff',
    version: '0.0.1',
    state: 'active',
    revision: 'ffffffff',
    at: new Date(),
    expiresAt: new Date(Date.now() + 900_000),
    ...values,
  }),
});

const random = 'c0ffee45b1d28f3c9a7e5d6b80f4a1c2e3d7b9f05a6c8e1d';
const mail = (port: number): object => ({ email: { config: { providerOptions: { host: '127.0.0.1', port } } } });

const cases: Readonly<Record<string, Case>> = {
  'a setting of the wrong type': [{ env: { PORT: 'x' } }, 'configuration', 'problem', /PORT: must be a whole number/],
  'a setting that is not known': [setting('api', { rests: {} }), 'configuration', 'problem', /unknown key rests/],
  development: [{ env: { NODE_ENV: 'development' } }, 'environment', 'problem', /NODE_ENV is development/],
  staging: [{ env: { NODE_ENV: 'staging' } }, 'environment', 'advice', /staging/],
  'an absent secret': [{ env: { JWT_SECRET: '' } }, 'secrets', 'problem', /^JWT_SECRET is not set/],
  'a short secret': [{ env: { ADMIN_TOKEN: random.slice(0, 12) } }, 'secrets', 'problem', /token has fewer than 32 characters/],
  'a short salt': [{ env: { API_TOKEN_SALT: random.slice(0, 20) } }, 'secrets', 'advice', /API_TOKEN_SALT has fewer than 32/],
  'a secret of an example': [{ env: { JWT_SECRET: `changeme-${random}` } }, 'secrets', 'problem', /JWT_SECRET looks like/],
  'a repeated secret': [{ env: { JWT_SECRET: 'a1b2c3d4'.repeat(5) } }, 'secrets', 'problem', /JWT_SECRET looks like/],
  'equal secrets': [{ env: { JWT_SECRET: random, ADMIN_TOKEN: random } }, 'secrets', 'problem', /JWT_SECRET and ADMIN_TOKEN/],
  'a former secret': [{ env: { JWT_SECRET_PREVIOUS: random } }, 'secrets', 'advice', /JWT_SECRET_PREVIOUS is still/],
  'a file of secrets for all': [{ files: { '.env': '# none' } }, 'secrets', 'advice', /\.env can be read/],
  'an open service': [{ env: { MANGROVE_OPEN: 'true' } }, 'openness', 'problem', /everybody everything/],
  'everybody deletes': [
    { stored: granted(2, 'api::article.article.delete') },
    'public-role',
    'problem',
    /everybody may change or delete entries: api::article\.article\.delete/,
  ],
  'everybody creates': [
    { stored: granted(2, 'api::article.article.create') },
    'public-role',
    'problem',
    /everybody may create entries/,
  ],
  'everybody creates within limits': [
    { stored: granted(2, 'api::article.article.create'), ...setting('api', { ratelimit: { enabled: true } }) },
    'public-role',
    'advice',
    /everybody may create entries.*within limits/,
  ],
  'everybody sees users': [
    { stored: granted(2, 'plugin::users-permissions.user.find') },
    'public-role',
    'problem',
    /everybody may see users/,
  ],
  'everybody uploads': [
    { stored: granted(2, 'plugin::upload.content-api.upload') },
    'public-role',
    'problem',
    /everybody may upload files/,
  ],
  'users change roles': [
    { stored: granted(1, 'plugin::users-permissions.role.updateRole') },
    'registration',
    'problem',
    /registers \(role authenticated\) may change roles/,
  ],
  'users delete entries': [
    { stored: granted(1, 'api::article.article.delete') },
    'registration',
    'advice',
    /registers \(role authenticated\) may change or delete entries/,
  ],
  'a default role that does not exist': [advanced({ default_role: 'none' }), 'registration', 'problem', /default role none/],
  'credentials for all origins': [
    setting('middlewares', { cors: { origin: '*', credentials: true } }),
    'cors',
    'problem',
    /credentials needs a list/,
  ],
  'credentials for the origin null': [
    setting('middlewares', { cors: { origin: ['null'], credentials: true } }),
    'cors',
    'problem',
    /origin null/,
  ],
  'a public address without TLS': [{ env: { PUBLIC_URL: 'http://api.example.org' } }, 'proxy', 'problem', /begins with http:/],
  'a public address of this machine': [{ env: { PUBLIC_URL: 'https://localhost' } }, 'proxy', 'problem', /names localhost/],
  'no public address': [{ env: { PUBLIC_URL: '' } }, 'proxy', 'advice', /PUBLIC_URL is not set/],
  'a proxy that is not trusted': [{ env: { TRUST_PROXY: 'false' } }, 'proxy', 'problem', /TRUST_PROXY is not set/],
  'log-ins without limits': [{ env: { RATE_LIMIT: 'false' } }, 'rate-limits', 'problem', /limit of log-ins is off/],
  'no security headers': [setting('middlewares', { security: false }), 'headers', 'problem', /security headers are off/],
  'an open playground': [
    setting('plugins', { graphql: { config: { playgroundAlways: true } } }),
    'pages',
    'advice',
    /playground is open/,
  ],
  introspection: [
    setting('plugins', { graphql: { config: { apolloServer: { introspection: true } } } }),
    'pages',
    'advice',
    /introspection is on/,
  ],
  'an open page of documentation': [setting('api', { docs: true }), 'pages', 'advice', /documentation page is open/],
  'metrics without a token': [{ env: { METRICS: '9464' } }, 'metrics', 'advice', /port 9464 without a token/],
  'no address of a database': [{ env: { MONGODB_URI: '' } }, 'database', 'problem', /MONGODB_URI is not set/],
  'an address that cannot be read': [{ env: { MONGODB_URI: 'mongodb:/x' } }, 'database', 'problem', /must be an address/],
  'a model that is refused': [
    { stored: inserted('_models', { _id: 'api::wrong.wrong', kind: 'collectionType', attributes: { a: { type: 'none' } } }) },
    'models',
    'problem',
    /api::wrong\.wrong is not in force/,
  ],
  'a model that an instance refuses': [
    state({ state: 'refused', problems: ['it is wrong'] }),
    'models',
    'problem',
    /article is refused: it is wrong/,
  ],
  'entries that do not fit': [
    state({ requiredNulls: [{ attribute: 'title', entries: 3 }], unfitValues: [] }),
    'models',
    'advice',
    /do not fit the model: title \(3\)/,
  ],
  'a unique index that is missing': [
    {
      stored: async (db) => {
        const articles = db.collection('articles');
        const unique = (await articles.indexes()).filter((index) => index.unique === true);
        for (const { name = '' } of unique) await articles.dropIndex(name);
        return () =>
          Promise.all(
            unique.map(({ key, name = '', unique: isUnique = true, partialFilterExpression: partial }) =>
              articles.createIndex(key as Record<string, 1>, {
                ...{ name, unique: isUnique },
                ...(partial !== undefined && { partialFilterExpression: partial }),
              }),
            ),
          );
      },
    },
    'indexes',
    'problem',
    /unique indexes do not exist: mangrove_\S+ of api::article\.article/,
  ],
  'an index that could not be built': [
    state({ indexProblems: ['index a could not be built'] }),
    'indexes',
    'problem',
    /index a could/,
  ],
  'an index that is being built': [state({ indexesBuilding: [{ name: 'b' }] }), 'indexes', 'advice', /being built: b/],
  'an index that nobody uses': [state({ unusedIndexes: ['c'] }), 'indexes', 'advice', /no read has used c of/],
  'a search that is not ready': [
    state({ search: { attributes: [{ attribute: 'title', search: 'trigram', state: 'waiting' }], scans: null } }),
    'models',
    'advice',
    /searches in title of api::article\.article is not ready/,
  ],
  'an instance of another version': [state({}), 'instances', 'advice', /run version 0\.0\.1/],
  'an instance with other models': [state({}), 'instances', 'advice', /serve different models/],
  'an instance whose clock is ahead': [
    state({ expiresAt: new Date(Date.now() + 1_200_000) }),
    'clock',
    'problem',
    /clocks of instances are ahead: other:1:ff/,
  ],
  'a collection of a removed type': [
    {
      stored: async (db) => {
        const undo = await inserted('_collections', { _id: 'memos', uid: 'api::memo.memo' })(db);
        await db.collection('memos').insertOne({ title: 'Kept' });
        return async () => {
          await db.dropCollection('memos');
          await undo();
        };
      },
    },
    'collections',
    'advice',
    /removed types are kept: memos/,
  ],
  'no e-mails': [{}, 'mail', 'advice', /forgotten their password get no e-mail/],
  'no e-mails, which users need': [advanced({ email_confirmation: true }), 'mail', 'problem', /must confirm/],
  'a mail server that does not answer': [setting('plugins', mail(1)), 'mail', 'problem', /mail server refuses/],
  'a folder of files that several instances do not share': [
    { ...state({}), ...setting('plugins', { upload: { config: { provider: 'disk' } } }) },
    'storage',
    'problem',
    /disk of each instance/,
  ],
  'a storage that does not answer': [
    setting('plugins', {
      upload: {
        config: { provider: 's3', providerOptions: { bucket: 'x', region: 'x', endpoint: 'http://127.0.0.1:1', maxAttempts: 1 } },
      },
    }),
    'storage',
    'problem',
    /storage s3 does not work/,
  ],
  'no backups': [{}, 'backups', 'advice', /no backups are scheduled/],
  'no backup yet': [{ env: { BACKUP_SCHEDULE: '0 3 * * *' } }, 'backups', 'advice', /no backup in .*data\/backups yet/],
  'a schedule of backups that is no rule': [
    { env: { BACKUP_SCHEDULE: '61 3 * * *' } },
    'backups',
    'problem',
    /the service does not start: backup\.schedule is no cron rule/,
  ],
  'a schedule that prevents the start': [
    { env: { BACKUP_SCHEDULE: 'at noon' } },
    'configuration',
    'problem',
    /backup\.schedule is no cron rule/,
  ],
  'old backups': [
    {
      env: { BACKUP_SCHEDULE: '0 3 * * *', MONGODB_DATABASE: 'shop' },
      files: { 'data/backups/shop-2026-01-01T03-00-00Z.backup.gz': '', 'data/backups/shop-2-2099-01-01T03-00-00Z.backup.gz': '' },
    },
    'backups',
    'problem',
    /newest backup in .*data\/backups is of 2026-01-01T03:00:00.000Z/,
  ],
  'backups that cannot be read': [
    { env: { BACKUP_SCHEDULE: '0 3 * * *', BACKUP_TO: './config/file.json' }, files: { 'config/file.json': '{}' } },
    'backups',
    'problem',
    /backups in .* cannot be read: .*ENOTDIR/,
  ],
  'webhooks to private addresses': [{ env: { WEBHOOKS_ALLOW_PRIVATE: 'true' } }, 'webhooks', 'advice', /private networks/],
  'webhooks without TLS': [
    { stored: inserted('_webhooks', { _id: 1, name: 'site', url: 'http://site.example.org/', events: [], isEnabled: true }) },
    'webhooks',
    'advice',
    /without TLS: site/,
  ],
  'a log of changes without a writer': [
    {
      stored: async (db) => {
        const undo = await inserted('_changes', { _id: 'log', seq: 1, mark: 1, written: new Date(Date.now() - 3_600_000) })(db);
        const models = db.collection<{ _id: string }>('_models');
        await models.updateOne({ _id: article.uid }, { $set: { 'pluginOptions.sync.enabled': true } });
        return async () => {
          await models.updateOne({ _id: article.uid }, { $unset: { pluginOptions: 1 } });
          await undo();
        };
      },
    },
    'sync',
    'problem',
    /no instance has written the log/,
  ],
  'no panel': [{}, 'panel', 'advice', /panel is not built/],
};

describe('npx mangrove doctor', () => {
  let fit: FitService;
  before(async () => {
    fit = await startFit();
  });
  after(() => fit.stop());

  async function examine({ env = {}, files = {}, stored }: Changed, args: readonly string[] = ['--json']) {
    const undo = await stored?.(fit.database.db);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(fit.directory, name)), { recursive: true });
      await writeFile(join(fit.directory, name), text, { mode: 0o644 });
    }
    try {
      return await runCli('doctor', args, { directory: fit.directory, env: { ...fit.env, ...env } });
    } finally {
      await undo?.();
      for (const name of Object.keys(files)) await rm(join(fit.directory, name));
    }
  }

  const read = async (
    changed: Changed,
  ): Promise<{ readonly report: Report; readonly exitCode: number; readonly stdout: string }> => {
    const { stdout, exitCode } = await examine(changed);
    return { report: JSON.parse(stdout) as Report, exitCode, stdout };
  };

  it('finds no problem in a service that is fit for production', async () => {
    const { report, exitCode } = await read({});
    expect(report.checks.filter(({ state }) => state === 'problem' || state === 'unknown')).to.deep.equal([]);
    expect(report).to.include({ ok: true, problems: 0 });
    expect(report.advice).to.equal(report.checks.filter(({ state }) => state === 'advice').length);
    expect(exitCode).to.equal(0);
  });

  for (const [name, [changed, check, state, text]] of Object.entries(cases))
    it(`finds ${name}`, async () => {
      const { report, exitCode } = await read(changed);
      const found = report.checks.filter((finding) => finding.name === check && text.test(finding.text));
      expect(found, JSON.stringify(report.checks.filter((finding) => finding.name === check))).to.have.length(1);
      expect(found[0]).to.include({ state });
      expect(found[0]?.remedy).to.be.a('string').with.length.greaterThan(5);
      expect(exitCode).to.equal(report.problems > 0 ? 1 : 0);
      if (state === 'problem') expect(exitCode).to.equal(1);
    });

  it('reports all that does not need the database if it does not answer', async () => {
    const { report, exitCode, stdout } = await read({
      env: { MONGODB_URI: 'mongodb://ann:pa55@127.0.0.1:1/x', RATE_LIMIT: 'false' },
      ...setting('database', { selectionTimeout: 500 }),
    });
    const stateOf = (name: string) => report.checks.find((finding) => finding.name === name)?.state;
    expect(['database', 'rate-limits', 'indexes', 'models', 'secrets'].map(stateOf)).to.deep.equal([
      ...['problem', 'problem', 'unknown', 'unknown', 'ok'],
    ]);
    expect(stdout).not.to.include('pa55');
    expect(exitCode).to.equal(1);
  });

  it('prints a line for each finding, and no secrets', async () => {
    const { stdout, exitCode } = await examine({ env: { TRUST_PROXY: 'false' } }, []);
    expect(stdout).to.match(/^problem {2}proxy +TRUST_PROXY is not set.*; set TRUST_PROXY=true/m);
    expect(stdout).to.match(/^ok {7}secrets +/m);
    expect(stdout.split('\n').at(-1)).to.match(/^1 problem, \d+ pieces of advice$/);
    for (const name of ['JWT_SECRET', 'API_TOKEN_SALT', 'ADMIN_TOKEN']) expect(stdout).not.to.include(fit.env[name]);
    expect(exitCode).to.equal(1);
  });

  it('writes nothing to the database', async () => {
    const names = async () =>
      (await fit.database.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
    const before = await names();
    await read({});
    expect(await names()).to.deep.equal(before);
  });

  it('refuses unknown options', async () => {
    const { stderr, exitCode } = await examine({}, ['--jsn']);
    expect(stderr).to.include('there is no option --jsn; did you mean --json?').and.include('usage: npx mangrove doctor');
    expect(exitCode).to.equal(1);
  });

  it('accepts a mail server and a storage that answer, and leaves nothing in it', async () => {
    const smtp = createServer((socket) => {
      socket.write('220 ready\r\n');
      socket.on('data', (data) => socket.write(data.toString().startsWith('QUIT') ? '221 bye\r\n' : '250 ok\r\n'));
    });
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    const { port } = smtp.address() as { readonly port: number };
    const s3: S3Server = await startS3();
    const upload = { upload: { config: { provider: 's3', providerOptions: s3.options } } };
    try {
      const { report } = await read(setting('plugins', { ...mail(port), ...upload }));
      expect(report.checks.filter(({ name, state }) => ['mail', 'storage'].includes(name) && state === 'problem')).to.deep.equal(
        [],
      );
      expect(await s3.count()).to.equal(0);
    } finally {
      await s3.stop();
      smtp.close();
    }
  });
});
