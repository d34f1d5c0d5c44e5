import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { readCurl } from '../docs/read-curl.js';
import { splitWords } from '../docs/read-page.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { type ArchivedFile, metadata, packArchive } from '../support/pack-archive.js';
import { program } from '../support/program.js';

const root = new URL('../../', import.meta.url).pathname;
const page = await readFile(join(root, 'docs/coming-from-strapi.md'), 'utf8');

/** The files that the page shows, in order. */
const shownNames = ['src/index.ts', 'src/api/article/controllers/article.ts', 'src/api/article/routes/01-article.ts'];
const shownTexts = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text);
const shownFiles = Object.fromEntries(shownNames.map((name, index) => [name, shownTexts[index] ?? '']));

/** The project of the page, as the generator of Strapi v4 makes it; the page shows some of its files. */
const project: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'my-project',
    dependencies: {
      '@strapi/plugin-graphql': '4.25.1',
      '@strapi/plugin-i18n': '4.25.1',
      '@strapi/plugin-users-permissions': '4.25.1',
      '@strapi/strapi': '4.25.1',
    },
  }),
  'config/server.ts': `export default ({ env }) => ({
    host: env('HOST', '0.0.0.0'), port: env.int('PORT', 1337), app: { keys: env.array('APP_KEYS') } });`,
  'config/database.ts': `import path from 'path';
    export default ({ env }) => ({ connection: { client: 'sqlite', useNullAsDefault: true,
      connection: { filename: path.join(__dirname, '..', env('DATABASE_FILENAME', '.tmp/data.db')) } } });`,
  'config/api.ts': 'export default { rest: { defaultLimit: 25, maxLimit: 100, withCount: true } };',
  'config/admin.ts': `export default ({ env }) => ({
    auth: { secret: env('ADMIN_JWT_SECRET') }, apiToken: { salt: env('API_TOKEN_SALT') } });`,
  'config/middlewares.ts': `export default ['strapi::logger', 'strapi::errors', 'strapi::security', 'strapi::cors',
    'strapi::poweredBy', 'strapi::query', 'strapi::body', 'strapi::session', 'strapi::favicon', 'strapi::public'];`,
  'config/plugins.ts': `export default ({ env }) => ({ graphql: { enabled: true },
    upload: { config: { provider: 'cloudinary', providerOptions: { cloud_name: env('CLOUDINARY_NAME') } } } });`,
  ...shownFiles,
  'src/api/article/services/article.ts': `import { factories } from '@strapi/strapi';
    export default factories.createCoreService('api::article.article');`,
  'src/api/article/routes/article.ts': `import { factories } from '@strapi/strapi';
    export default factories.createCoreRouter('api::article.article');`,
  'src/api/article/content-types/article/schema.json': JSON.stringify({
    kind: 'collectionType',
    collectionName: 'articles',
    info: { singularName: 'article', pluralName: 'articles', displayName: 'Article' },
    options: { draftAndPublish: true },
    attributes: {
      title: { type: 'string', required: true },
      color: { type: 'customField', customField: 'plugin::color-picker.color' },
      seo: { type: 'component', component: 'shared.seo' },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
    },
  }),
  'src/components/shared/seo.json': JSON.stringify({
    collectionName: 'components_shared_seos',
    info: { displayName: 'Seo' },
    attributes: { metaTitle: { type: 'string' } },
  }),
};

/** What `strapi export` writes of the project once an editor, a picture and another article are in it. */
const exported: readonly ArchivedFile[] = [
  { name: 'schemas/schemas_00001.jsonl', content: [{ uid: 'api::article.article', attributes: {} }] },
  {
    name: 'entities/entities_00001.jsonl',
    content: [
      {
        type: 'plugin::upload.file',
        id: 1,
        data: { name: 'sea.txt', hash: 'sea_1', ext: '.txt', mime: 'text/plain', size: 0.01 },
      },
      { type: 'plugin::users-permissions.role', id: 1, data: { name: 'Authenticated', type: 'authenticated' } },
      { type: 'plugin::users-permissions.user', id: 1, data: { username: 'ann', email: 'ann@mail.test', confirmed: true } },
      { type: 'api::article.article', id: 1, data: { title: 'Salt', publishedAt: '2024-01-01T00:00:00.000Z', seo: { id: 1 } } },
      { type: 'api::article.article', id: 2, data: { title: 'Wind', publishedAt: null } },
      { type: 'plugin::menus.menu', id: 1, data: {} },
    ],
  },
  { name: 'assets/uploads/sea_1.txt', content: 'about a sea\n' },
  {
    name: 'links/links_00001.jsonl',
    content: [
      {
        kind: 'relation.basic',
        relation: 'manyToOne',
        left: { type: 'plugin::users-permissions.user', ref: 1, field: 'role' },
        right: { type: 'plugin::users-permissions.role', ref: 1, field: 'users', pos: 1 },
      },
    ],
  },
  metadata,
];

/** The commands of the page, in order, and what it shows after each. */
const commands = [...page.matchAll(/^ {4}\$ ([^\n]+)\n\n```\w+\n([^]*?)```$/gm)].map(([, command = '', shown = '']) => ({
  command,
  shown,
}));

const lines = (text: string): readonly string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +/g, ' '));

describe('docs/coming-from-strapi.md', function () {
  let directory: string;
  let database: FreshDatabase;
  let service: ChildProcess | null = null;
  let url = '';
  before(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'mangrove-coming-')), 'my-project');
    for (const [file, text] of Object.entries(project)) {
      await mkdir(dirname(join(directory, file)), { recursive: true });
      await writeFile(join(directory, file), text);
    }
    await packArchive(join(directory, 'export.tar.gz'), exported);
    database = await freshDatabase();
  });
  after(async () => {
    if (service?.exitCode === null) {
      service.kill('SIGTERM');
      await once(service, 'exit');
    }
    await database.drop();
    await rm(dirname(directory), { recursive: true });
  });

  /** Starts a command of the page from source. */
  const start = async (command: string): Promise<ChildProcess> => {
    const [, args = ''] = /^node \.\.\/mangrove\/bin\/mangrove\.cjs (.*)$/.exec(command) ?? [];
    const settings = { MONGODB_URI: database.uri, MANGROVE_OPEN: 'true', NODE_ENV: 'test', PORT: '0' };
    return spawn(process.execPath, [...(await program()), ...args.split(' ')], {
      cwd: directory,
      env: { ...process.env, ...settings },
    });
  };

  const runs: Readonly<Record<'tool' | 'main' | 'curl', (command: string, shown: string) => Promise<void>>> = {
    tool: async (command, shown) => {
      const output = await readUntil(await start(command), () => false);
      expect(lines(output)).to.include.members([...lines(shown)]);
    },
    main: async (command, shown) => {
      service = await start(command);
      const isWhole = (text: string): boolean => lines(shown).every((line) => text.includes(line)) && /REST +http/.test(text);
      const output = await readUntil(service, isWhole);
      for (const line of lines(shown)) expect(output).to.contain(line);
      url = /REST +(http:\S+)\/api/.exec(output)?.[1] ?? '';
    },
    curl: async (command, shown) => {
      const { path, options } = await readCurl(splitWords(command));
      const answer = await fetch(`${url}${path}`, options);
      expect(await answer.json()).to.deep.equal(JSON.parse(shown));
    },
  };

  it('shows commands', () => expect(commands.length).to.be.greaterThan(5));

  for (const { command, shown } of commands)
    it(command, () =>
      runs[command.startsWith('curl') ? 'curl' : / (models|import) /.test(command) ? 'tool' : 'main'](command, shown),
    );
});

/** Reads what a process prints, until that is enough or the process ends. */
async function readUntil(child: ChildProcess, isEnough: (text: string) => boolean): Promise<string> {
  let text = '';
  await new Promise<void>((resolve) => {
    const read = (part: Buffer): void => {
      text += part.toString();
      if (isEnough(text)) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('close', () => {
      resolve();
    });
  });
  return text;
}
