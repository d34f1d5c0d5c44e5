import { expect } from 'chai';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkImports } from '../../scripts/check/imports.js';
import { checkDoors, usedDoors } from '../../scripts/check/rooms/doors.js';

type Files = Readonly<Record<string, string>>;

const dependencies = Object.fromEntries(
  ['mongodb', 'koa', '@koa/cors', 'graphql', 'qs', 'bcrypt', 'ajv', 'pino'].map((name) => [name, '*']),
);

const cases: Readonly<Record<string, readonly [files: Files, problems: readonly string[]]>> = {
  'lower rooms, the same room and node: are fine': [
    {
      'base/errors.ts': '',
      'model/schema/a.ts': `import '#base/errors.js'`,
      'model/schema/deep/b.ts': `import { a } from '../a.js'`,
      'store/c.ts': `import 'mongodb'; import type { A } from '#model/schema/a.js'; import { join } from 'node:path'`,
      'api/rest/d.ts': `import qs from 'qs'; export { a } from '#store/c.js'; import '@koa/cors'`,
      'server.ts': `import '#api/rest/d.js'; import '#operate/cli/e.js'; import './index.js'`,
      'index.ts': '',
      'operate/cli/e.ts': `import { version } from '../../../package.json' with { type: 'json' }; import '#index.js'`,
    },
    [],
  ],
  'a higher room': [
    { 'model/a.ts': `import { b } from '#store/b.js'`, 'store/b.ts': '' },
    ['model/a.ts: model may not import store/b.ts'],
  ],
  'a higher room, by type only': [
    { 'store/a.ts': `import type { B } from '#content/b.js'`, 'content/b.ts': '' },
    ['store/a.ts: store may not import content/b.ts'],
  ],
  'a higher room, in a type position': [
    { 'store/a.ts': `export type B = import('#content/b.js').B`, 'content/b.ts': '' },
    ['store/a.ts: store may not import content/b.ts'],
  ],
  'a higher room, at run time': [
    { 'store/a.ts': `const b = await import('#content/b.js')`, 'content/b.ts': '' },
    ['store/a.ts: store may not import content/b.ts'],
  ],
  'a higher room, exported again': [
    { 'store/a.ts': `export * from '#content/b.js'`, 'content/b.ts': '' },
    ['store/a.ts: store may not import content/b.ts'],
  ],
  'the parts that put the rooms together': [
    { 'strapi/a.ts': `import '#server.js'`, 'server.ts': '' },
    ['strapi/a.ts: strapi may not import server.ts'],
  ],
  'a neighbour inside a room': [
    {
      'api/rest/a.ts': `import '../graphql/b.js'`,
      'api/graphql/b.ts': `import '../letters/c.js'`,
      'api/letters/c.ts': `import '../history/d.js'`,
      'api/history/d.ts': '',
    },
    [
      'api/graphql/b.ts: may not import api/letters/c.ts; move what both need to a lower level of api/',
      'api/rest/a.ts: may not import api/graphql/b.ts; move what both need to a lower level of api/',
    ],
  ],
  'another room by a relative path': [
    { 'store/a.ts': `import '../model/b.js'`, 'model/b.ts': '' },
    ['store/a.ts: imports ../model/b.js; the same room is imported by a relative path, another one by #model/b.js'],
  ],
  'the same room by its name': [
    { 'store/a.ts': `import '#store/b.js'`, 'store/b.ts': '' },
    ['store/a.ts: imports #store/b.js; the same room is imported by a relative path, another one by #store/b.js'],
  ],
  'lower rooms behind a wall': [
    {
      'model/query/a.ts': `import '#settings/b.js'`,
      'strapi/a.ts': `import type { B } from '#api/graphql/b.js'`,
      ...{ 'settings/b.ts': '', 'api/graphql/b.ts': '' },
    },
    [
      'model/query/a.ts: may not import settings/b.ts; let the caller pass the setting',
      'strapi/a.ts: may not import api/graphql/b.ts; state what is needed as an interface, like GivenStrapi, and let operate/ pass the value',
    ],
  ],
  'the client, by the service, and anything else by the client': [
    {
      'client/a.ts': `import { b } from '#base/b.js'; import './c.js'`,
      'client/c.ts': '',
      'base/b.ts': '',
      'http/d.ts': `import type { A } from '#client/a.js'`,
      'operate/cli/e.ts': `import '#client/a.js'`,
      'server.ts': `import '#client/a.js'`,
    },
    [
      'client/a.ts: may not import base/b.ts; the client runs in a browser: state what is needed in client/',
      ...['http/d.ts', 'operate/cli/e.ts', 'server.ts'].map(
        (name) => `${name}: may not import client/a.ts; the client is for applications: the service does not import it`,
      ),
    ],
  ],
  'accounts, by a room that needs only rights': [
    { 'media/a.ts': `import '#accounts/b.js'`, 'http/c.ts': `import '#accounts/b.js'`, 'accounts/b.ts': '' },
    [
      'http/c.ts: may not import accounts/b.ts; move the type to content/rights/, like that of content/rights/accounts.ts',
      'media/a.ts: may not import accounts/b.ts; move what is needed to content/rights/',
    ],
  ],
  'what does not exist': [
    { 'api/rest/a.ts': `import './b.js'; import '#store/c.js'` },
    ['api/rest/a.ts: imports api/rest/b.ts, which does not exist', 'api/rest/a.ts: imports store/c.ts, which does not exist'],
  ],
  'a path without its ending': [
    { 'api/rest/a.ts': `import './b'`, 'api/rest/b.ts': '' },
    ['api/rest/a.ts: imports api/rest/b, which does not exist'],
  ],
  'a folder that is no room': [
    { 'utils/a.ts': '' },
    [
      'utils/a.ts: is in no room: base, client, settings, model, store, content, accounts, media, http, api, admin, strapi, operate',
    ],
  ],
  'the package of another room': [
    {
      'api/rest/a.ts': `import type { Db } from 'mongodb'`,
      'content/b.ts': `import 'koa'; import '@koa/cors'`,
      'http/c.ts': `import 'ajv/dist/2020.js'`,
      'server.ts': `import 'koa'`,
    },
    [
      'api/rest/a.ts: only store, operate/embedded, operate/raw may import mongodb',
      'content/b.ts: only http, api/rest, api/graphql, api/openapi, admin, media, strapi may import koa',
      'content/b.ts: only http, api/rest, api/graphql, api/openapi, admin, media, strapi may import @koa/cors',
      'http/c.ts: only settings, model/schema, admin/api may import ajv',
      'server.ts: only http, api/rest, api/graphql, api/openapi, admin, media, strapi may import koa',
    ],
  ],
  'a package that is not a dependency': [
    { 'api/rest/a.ts': `import 'chai'` },
    ['api/rest/a.ts: imports chai, which is not a dependency'],
  ],
  'a module of Node by its bare name': [{ 'api/rest/a.ts': `import 'fs'` }, ['api/rest/a.ts: imports fs without node:']],
  cycles: [
    {
      'http/a.ts': `import './b.js'`,
      'http/b.ts': `import type { C } from './c.js'`,
      'http/c.ts': `import './a.js'; import './c.js'`,
    },
    ['cycle: http/a.ts > http/b.ts > http/c.ts > http/a.ts', 'cycle: http/c.ts > http/c.ts'],
  ],
  'scripts of one folder by another one, and a folder that is none of theirs': [
    {
      '../scripts/shared.ts': `import './bench/a.js'; import '../src/base/errors.js'`,
      '../scripts/bench/a.ts': `import { b } from '../prove/faults/b.js'; import './inner/c.js'; import '../../src/base/errors.js'`,
      '../scripts/bench/inner/c.ts': `import type { A } from '../a.js'`,
      '../scripts/prove/faults/b.ts': `import '../sync/d.js'; import '../../random.js'; import '../../../test/support/mongo.js'`,
      '../scripts/prove/sync/d.ts': '',
      '../scripts/random.ts': '',
      '../scripts/media/e.ts': '',
      'base/errors.ts': '',
    },
    [
      'scripts/media/e.ts: is in none of the folders check, prove, bench',
      'scripts/bench/a.ts: may not import scripts/prove/faults/b.ts; move what both need to scripts/ itself',
      'scripts/shared.ts: may not import scripts/bench/a.ts; move what both need to scripts/ itself',
      'scripts: cycle: bench/a.ts > bench/inner/c.ts > bench/a.ts',
    ],
  ],
  'no import in a comment or a text': [{ 'model/a.ts': `// import '#store/b.js'\nexport const a = "import '#store/b.js'";` }, []],
  'a higher level of the same folder': [
    {
      'api/graphql/selection/a.ts': "import '../execute/b.js';",
      'api/graphql/execute/b.ts': "import '../new/c.js';",
      'api/graphql/new/c.ts': '',
    },
    [
      'api/graphql/execute/b.ts: api/graphql/new is not in the table of levels inside api/graphql/',
      'api/graphql/selection/a.ts: may not import api/graphql/execute/b.ts; move what both need to a lower level of api/graphql/',
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

describe('the doors of rooms', () => {
  const source = (name: string, imports: Readonly<Record<string, readonly string[]>>) => ({
    name,
    imports: Object.entries(imports).map(([target, names]) => ({ module: `#${target}`, target: `${target}.ts`, names })),
  });
  const used = usedDoors([
    source('store/a', { 'base/errors': ['ApiError'], 'model/plan': ['Plan'], 'store/b': ['inner'] }),
    source('content/a', { 'store/a': ['read', 'find'], 'model/plan': ['Plan'] }),
    source('server', { 'store/a': ['read'], connect: ['connect'] }),
  ]);

  it('are the files that other rooms import, with the number of their names', () => {
    expect([used['model'], used['store'], used['content']]).to.deep.equal([
      { names: 1, doors: ['plan.ts'] },
      { names: 2, doors: ['a.ts'] },
      { names: 0, doors: [] },
    ]);
    expect(Object.keys(used)).to.not.include.members(['base', 'top']);
  });

  it('are those that are stated, and give no more names', () => {
    const stated = { ...used, model: { names: 2, doors: ['plan.ts', 'gone.ts'] }, store: { names: 1, doors: [] } };
    expect(checkDoors(used, used)).to.deep.equal([]);
    expect(checkDoors(used, stated)).to.deep.equal([
      'model/gone.ts is a door that no other room uses: run npm run doors',
      'model gives 1 names to other rooms, fewer than stated: run npm run doors',
      'store/a.ts is no door of store: import one of those in scripts/check/rooms/doors.json',
      'store gives 2 names to other rooms instead of 1: give one less',
    ]);
  });
});
