import { expect } from 'chai';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkImports } from '../../scripts/check-imports.js';

type Files = Readonly<Record<string, string>>;

const dependencies = Object.fromEntries(
  ['mongodb', 'koa', '@koa/cors', 'graphql', 'qs', 'bcrypt', 'ajv', 'pino'].map((name) => [name, '*']),
);

const cases: Readonly<Record<string, readonly [files: Files, problems: readonly string[]]>> = {
  'lower levels, the same folder and node: are fine': [
    {
      'errors.ts': '',
      'schema/a.ts': `import '../errors.js'`,
      'schema/deep/b.ts': `import { a } from '../a.js'`,
      'mongo/c.ts': `import 'mongodb'; import type { A } from '../schema/a.js'; import { join } from 'node:path'`,
      'rest/d.ts': `import qs from 'qs'; export { a } from '../mongo/c.js'; import '@koa/cors'`,
      'server.ts': `import './rest/d.js'; import './cli/e.js'`,
      'cli/e.ts': `import { version } from '../../package.json' with { type: 'json' }`,
    },
    [],
  ],
  'a higher level': [
    { 'schema/a.ts': `import { b } from '../query/b.js'`, 'query/b.ts': '' },
    ['schema/a.ts: schema may not import query/b.ts'],
  ],
  'a higher level, by type only': [
    { 'mongo/a.ts': `import type { B } from '../content/b.js'`, 'content/b.ts': '' },
    ['mongo/a.ts: mongo may not import content/b.ts'],
  ],
  'a higher level, in a type position': [
    { 'mongo/a.ts': `export type B = import('../content/b.js').B`, 'content/b.ts': '' },
    ['mongo/a.ts: mongo may not import content/b.ts'],
  ],
  'a higher level, at run time': [
    { 'mongo/a.ts': `const b = await import('../content/b.js')`, 'content/b.ts': '' },
    ['mongo/a.ts: mongo may not import content/b.ts'],
  ],
  'a higher level, exported again': [
    { 'mongo/a.ts': `export * from '../content/b.js'`, 'content/b.ts': '' },
    ['mongo/a.ts: mongo may not import content/b.ts'],
  ],
  'a neighbour': [
    { 'rest/a.ts': `import '../graphql/b.js'`, 'graphql/b.ts': `import '../openapi/c.js'`, 'openapi/c.ts': '' },
    ['graphql/b.ts: graphql may not import openapi/c.ts', 'rest/a.ts: rest may not import graphql/b.ts'],
  ],
  'a feature that is not listed': [
    {
      'letters/feature.ts': `import '../http/a.js'; import './rows.js'`,
      'letters/rows.ts': `import '../admin/b.js'`,
      'http/a.ts': '',
      'admin/b.ts': `import '../letters/feature.js'`,
      'features.ts': `import './letters/feature.js'`,
    },
    [
      'admin/b.ts: admin may not import letters/feature.ts',
      'letters/rows.ts: letters may not import admin/b.ts',
      'cycle: admin/b.ts > letters/feature.ts > letters/rows.ts > admin/b.ts',
    ],
  ],
  'lower rooms behind a wall': [
    {
      'query/a.ts': `import '../config/b.js'`,
      'http/a.ts': `import type { B } from '../accounts/b.js'`,
      'strapi/a.ts': `import type { B } from '../graphql/b.js'`,
      ...{ 'config/b.ts': '', 'accounts/b.ts': '', 'graphql/b.ts': '' },
    },
    [
      'http/a.ts: http may not import accounts/b.ts; move the type to auth/, like that of auth/accounts.ts',
      'query/a.ts: query may not import config/b.ts; let the caller pass the setting',
      'strapi/a.ts: strapi may not import graphql/b.ts; state what is needed as an interface, like GivenStrapi, and let server.ts or cli/ pass the value',
    ],
  ],
  'what does not exist': [{ 'rest/a.ts': `import './b.js'` }, ['rest/a.ts: imports rest/b.ts, which does not exist']],
  'a path without its ending': [
    { 'rest/a.ts': `import './b'`, 'rest/b.ts': '' },
    ['rest/a.ts: imports rest/b, which does not exist'],
  ],
  'a folder without a level': [{ 'utils/a.ts': '' }, ['utils/a.ts: utils is not in the table of levels']],
  'the package of another folder': [
    {
      'rest/a.ts': `import type { Db } from 'mongodb'`,
      'content/b.ts': `import 'koa'; import '@koa/cors'`,
      'http/c.ts': `import 'ajv/dist/2020.js'`,
    },
    [
      'content/b.ts: only http, rest, graphql, openapi, admin, media, strapi, server may import koa',
      'content/b.ts: only http, rest, graphql, openapi, admin, media, strapi, server may import @koa/cors',
      'http/c.ts: only config, schema, admin may import ajv',
      'rest/a.ts: only mongo may import mongodb',
    ],
  ],
  'a package that is not a dependency': [
    { 'rest/a.ts': `import 'chai'` },
    ['rest/a.ts: imports chai, which is not a dependency'],
  ],
  'a module of Node by its bare name': [{ 'rest/a.ts': `import 'fs'` }, ['rest/a.ts: imports fs without node:']],
  cycles: [
    {
      'rest/a.ts': `import './b.js'`,
      'rest/b.ts': `import type { C } from './c.js'`,
      'rest/c.ts': `import './a.js'; import './c.js'`,
    },
    ['cycle: rest/a.ts > rest/b.ts > rest/c.ts > rest/a.ts', 'cycle: rest/c.ts > rest/c.ts'],
  ],
  'no import in a comment or a text': [
    { 'schema/a.ts': `// import '../rest/b.js'\nexport const a = "import '../rest/b.js'";` },
    [],
  ],
  'a higher level of the same folder': [
    {
      'graphql/selection/a.ts': "import '../execute/b.js';",
      'graphql/execute/b.ts': "import '../new/c.js';",
      'graphql/new/c.ts': '',
    },
    [
      'graphql/execute/b.ts: graphql/new is not in the table of levels inside graphql/',
      'graphql/selection/a.ts: may not import graphql/execute/b.ts; move what both need to a lower level of graphql/',
    ],
  ],
};

describe('check-imports', () => {
  let project: string;

  beforeEach(async () => {
    project = await mkdtemp(join(tmpdir(), 'mangrove-imports-'));
    await writeFile(join(project, 'package.json'), JSON.stringify({ dependencies }));
  });
  afterEach(() => rm(project, { recursive: true }));

  for (const [title, [files, problems]] of Object.entries(cases))
    it(title, async () => {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(project, 'src', name)), { recursive: true });
        await writeFile(join(project, 'src', name), content);
      }
      expect(checkImports(project)).to.deep.equal(problems);
    });
});
