import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { program } from '../../support/program.js';
import { runCli, type CliResult } from '../../support/run-cli.js';

const boat = (attributes: object) => ({
  kind: 'collectionType',
  collectionName: 'boats',
  info: { singularName: 'boat', pluralName: 'boats', displayName: 'Boat' },
  attributes,
});
const name = { type: 'string' };
const crew = { type: 'component', component: 'parts.crew-list' };

/** Files of a Strapi project, by path. */
const project: Readonly<Record<string, unknown>> = {
  'package.json': { dependencies: { '@strapi/strapi': '4.25.0' } },
  'src/api/boatYard/content-types/boat/schema.json': boat({ name, crew }),
  'src/components/parts/crew-list.json': {
    collectionName: 'c',
    info: { displayName: 'Crew' },
    attributes: { count: { type: 'integer' } },
  },
  'src/extensions/users-permissions/content-types/user/schema.json': {
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    attributes: { rank: { type: 'string' } },
  },
  'src/plugins/log-book/server/content-types/page/schema.json': {
    info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
    attributes: { text: { type: 'text' } },
  },
  'src/plugins/log-book/server/src/content-types/remarks/schema.json': {
    info: { singularName: 'page-remark', pluralName: 'page-remarks', displayName: 'Remark' },
    attributes: { page: { type: 'relation', relation: 'manyToOne', target: 'plugin::log-book.page' } },
  },
  'src/api/boatYard/documentation/1.0.0/boat.json': { paths: {} },
  'dist/src/api/boatYard/content-types/boat/schema.json': boat({ old: name }),
  'node_modules/x/src/components/a/b.json': { attributes: {} },
};
const uids = [
  'api::boat-yard.boat',
  'parts.crew-list',
  'plugin::users-permissions.user',
  'plugin::log-book.page',
  'plugin::log-book.page-remark',
];

describe('npx mangrove models', () => {
  let directory: string;
  let database: FreshDatabase;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-models-'));
    database = await freshDatabase();
    await place(project);
  });
  after(async () => {
    await database.drop();
    await rm(directory, { recursive: true });
  });

  const place = async (files: Readonly<Record<string, unknown>>): Promise<void> => {
    for (const [file, content] of Object.entries(files)) {
      await mkdir(dirname(join(directory, 'project', file)), { recursive: true });
      await writeFile(join(directory, 'project', file), typeof content === 'string' ? content : JSON.stringify(content));
    }
  };
  const env = () => ({ MONGODB_URI: database.uri, NODE_ENV: 'development' });
  const run = (...args: string[]): Promise<CliResult> => runCli('models', args, { directory, env: env() });
  const models = () => database.db.collection<{ _id: string; attributes: object }>('_models');
  const records = () =>
    database.db
      .collection('_audit')
      .find({}, { projection: { _id: 0, what: 1, body: 1, status: 1, changed: 1 } })
      .toArray();
  const boatFile = 'src/api/boatYard/content-types/boat/schema.json';

  it('lists the models that it would add, and adds none', async () => {
    const { stdout, exitCode } = await run('add', 'project', '--dry-run');
    expect(exitCode).to.equal(0);
    for (const uid of uids) expect(stdout).to.match(new RegExp(`^added +${uid}$`, 'm'));
    expect(stdout).to.match(/^5 added \(nothing was stored\)$/m);
    expect(await models().countDocuments()).to.equal(0);
    expect(await records()).to.deep.equal([]);
  });

  it('adds a project, with uids from the places of its files', async () => {
    expect((await run('add', 'project')).stdout).to.match(/^5 added$/m);
    expect((await models().find().toArray()).map(({ _id }) => _id).sort()).to.deep.equal([...uids].sort());
    expect((await run('add', 'project/src')).stdout).to.match(/^5 unchanged$/m);
    expect((await run('add', 'project/src/components')).stdout).to.match(/^1 unchanged$/m);
    expect((await run('diff', 'project')).stdout).to.equal('no differences');
    expect(await records()).to.deep.equal([{ what: 'models add', body: uids, status: 200, changed: true }]);
  });

  it('lists changed, differently served and refused models; a refused one does not stop the others', async () => {
    await place({
      [boatFile]: boat({
        name: { type: 'text' },
        crew,
        port: { type: 'relation', relation: 'manyToOne', target: 'api::port.port' },
      }),
      'src/components/parts/sail.json': { info: { displayName: 'Sail' }, attributes: { area: { type: 'flot' } } },
      'src/components/parts/mast.json': '{ "attributes": ',
    });
    const { stdout, exitCode } = await run('add', 'project');
    expect(exitCode).to.equal(1);
    expect(stdout).to.match(/^changed +api::boat-yard\.boat +\+port ~name$/m);
    expect(stdout).to.match(/^warning +api::boat-yard\.boat +port: unknown content type "api::port\.port".*left out$/m);
    expect(stdout).to.match(/^refused +parts\.sail +attributes\.area\.type: unknown "flot"/m);
    expect(stdout).to.match(/^refused +project\/src\/components\/parts\/mast\.json +Unexpected end of JSON input$/m);
    expect(stdout).to.match(/^1 changed, 4 unchanged, 1 warning, 2 refused$/m);
    expect(await models().findOne({ _id: 'api::boat-yard.boat' })).to.have.nested.property('attributes.name.type', 'text');
    expect(await models().findOne({ _id: 'parts.sail' })).to.equal(null);
  });

  it('shows how files differ from the stored models', async () => {
    await models().updateOne({ _id: 'api::boat-yard.boat' }, { $set: { attributes: { crew, name } } });
    await models().insertOne({ _id: 'parts.flag', attributes: {} });
    const { stdout, exitCode } = await run('diff', 'project');
    expect(exitCode).to.equal(1);
    expect(stdout.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).to.have.members([
      'unreadable | project/src/components/parts/mast.json | Unexpected end of JSON input',
      'only in files | parts.sail',
      'only stored | parts.flag',
      'differs | api::boat-yard.boat | +port ~name',
    ]);
  });

  it('writes the stored models to the files of a project, and new models to new files', async () => {
    await models().insertOne({ _id: 'api::port.port', attributes: { name } });
    const { stdout } = await run('pull', 'project');
    expect(stdout).to.match(
      /^unchanged +plugin::log-book\.page +project\/src\/plugins\/log-book\/server\/content-types\/page\/schema\.json$/m,
    );
    expect(stdout).to.match(/^written +api::port\.port +project\/src\/api\/port\/content-types\/port\/schema\.json$/m);
    expect(stdout).to.match(/^not stored +parts\.sail /m);
    const written = JSON.parse(await readFile(join(directory, 'project', boatFile), 'utf8'));
    expect(written).to.deep.equal(boat({ crew, name }));
    expect(Object.keys(written.attributes as object)).to.deep.equal(['crew', 'name']);
    expect(JSON.parse(await readFile(join(directory, 'project/src/components/parts/flag.json'), 'utf8'))).to.deep.equal({
      attributes: {},
    });
    await run('pull', 'fresh');
    await readFile(join(directory, 'fresh/src/extensions/users-permissions/content-types/user/schema.json'));
  });

  it('adds changes continuously', async () => {
    const args = [...(await program()), 'models', 'add', 'project', '--watch'];
    const watching = spawn(process.execPath, args, { cwd: directory, env: { ...process.env, ...env() }, timeout: 60_000 });
    const printed = createInterface({ input: watching.stdout });
    const line = (pattern: RegExp): Promise<string> =>
      new Promise((found) => printed.on('line', (text) => pattern.test(text) && found(text)));
    try {
      await line(/^watching/);
      const added = line(/^added +parts\.sail$/);
      await place({
        'src/components/parts/sail.json': { info: { displayName: 'Sail' }, attributes: { area: { type: 'integer' } } },
      });
      await added;
      expect(await models().countDocuments({ _id: 'parts.sail' })).to.equal(1);
      const changed = line(/^changed +parts\.sail/);
      await place({
        'src/components/parts/sail.json': { info: { displayName: 'Sail' }, attributes: { area: { type: 'float' } } },
      });
      await changed;
    } finally {
      watching.kill('SIGTERM');
    }
    const [exitCode] = (await once(watching, 'exit')) as [number | null];
    expect(exitCode).to.equal(0);
  });

  const removals: readonly (readonly [title: string, args: readonly string[], answer: string | null, isStored: boolean])[] = [
    ['without a terminal', [], null, false],
    ['in a dry run', ['--dry-run'], 'y', false],
    ['with --force', ['--force'], null, true],
    ['with --force on a terminal', ['--force'], 'n', true],
    ['after yes', [], 'yes', true],
    ['after y', [], 'Y', true],
    ['after no', [], 'no', false],
    ['after an empty line', [], '', false],
    ['after the end of the input', [], 'end', false],
  ];
  for (const [title, args, answer, isStored] of removals)
    it(`${isStored ? 'stores' : 'refuses'} a model that removes attributes, ${title}`, async () => {
      const raft = { uid: 'api::raft.raft', info: { singularName: 'raft', pluralName: 'rafts', displayName: 'Raft' } };
      const add = async (attributes: object, ...options: readonly string[]): Promise<CliResult> => {
        await writeFile(
          join(directory, 'raft.json'),
          JSON.stringify([{ ...boat(attributes), ...raft, collectionName: 'rafts' }]),
        );
        const typed = answer === null ? {} : { isTerminal: true, input: answer === 'end' ? '' : `${answer}\n` };
        return runCli('models', ['add', 'raft.json', ...options], { directory, env: env(), ...typed });
      };
      await add({ name, logs: name, sails: name }, '--force');
      const { stdout, exitCode } = await add({ name, oars: name }, ...args);
      const stored = (await models().findOne({ _id: raft.uid }))?.attributes;
      expect({ exitCode, names: Object.keys(stored ?? {}) }).to.deep.equal(
        isStored ? { exitCode: 0, names: ['name', 'oars'] } : { exitCode: 1, names: ['name', 'logs', 'sails'] },
      );
      expect(stdout).to.match(
        isStored
          ? /^changed +api::raft\.raft +\+oars -logs -sails$/m
          : /^refused +api::raft\.raft +it would remove logs, sails; use --force to store it$/m,
      );
    });

  it('refuses a model over a collection of others, unless it adopts it', async () => {
    await database.db.collection('ships').insertOne({ name: 'of others' });
    const ship = { ...boat({ name }), uid: 'api::ship.ship', collectionName: 'ships' };
    const add = async (model: object): Promise<string> => {
      const file = join(directory, 'ship.json');
      await writeFile(
        file,
        JSON.stringify({ ...model, info: { singularName: 'ship', pluralName: 'ships', displayName: 'Ship' } }),
      );
      return (await run('add', 'ship.json')).stdout;
    };
    expect(await add(ship)).to.match(/^refused +api::ship\.ship +the collection ships holds documents that were never served/);
    expect(await add({ ...ship, adopt: true })).to.match(/^added +api::ship\.ship/);
    expect(await add({ ...ship, adopt: true })).to.match(/^unchanged +api::ship\.ship/);
  });

  it('explains the shard key of a model, and which guarantees it would lose', async () => {
    const fleet = (name: string, shard: unknown, attributes: object) => ({
      ...boat(attributes),
      uid: `api::${name}.${name}`,
      collectionName: name,
      info: { singularName: name, pluralName: `${name}s`, displayName: name },
      shard,
    });
    const port = { type: 'relation', relation: 'manyToOne', target: 'api::ferry.ferry' };
    const validate = async (...fleets: readonly object[]): Promise<CliResult> => {
      await writeFile(join(directory, 'fleet.json'), JSON.stringify(fleets));
      return run('validate', 'fleet.json');
    };
    const code = { type: 'string', unique: true };
    const right = await validate(
      fleet('ferry', '_id', { name }),
      fleet('crew', 'none', { name, port }),
      fleet('raft', { code: 1 }, { code }),
    );
    expect(right.stdout).to.match(/^shard +api::ferry\.ferry +reads: an entry .* asks one shard; a list asks all shards unless/m);
    expect(right.stdout).to.match(
      /^shard +api::ferry\.ferry +relations: api::crew\.crew populates port by _id, .*: the shards of those/m,
    );
    expect(right.stdout).to.match(
      /^shard +api::raft\.raft +reads: .* asks all shards, because the key does not begin with the id/m,
    );
    expect(right.stdout).not.to.match(/not sharded|api::crew\.crew +(reads|sorts)/);
    const wrong = await validate(
      fleet('ferry', '_id', { code }),
      fleet('raft', { size: 1 }, { name }),
      fleet('buoy', { name: 2 }, { name }),
      { ...fleet('fleet', '_id', { name }), kind: 'singleType' },
    );
    expect(wrong.exitCode).to.equal(1);
    for (const line of [
      'not sharded +api::ferry.ferry +code is unique, which only a key of { "code": 1 } can guarantee',
      'not sharded +api::raft.raft +size is not an attribute that a shard key can have',
      'refused +api::buoy.buoy +shard',
      'not sharded +api::fleet.fleet +a single type has one entry',
    ])
      expect(wrong.stdout).to.match(new RegExp(`^${line}`, 'm'));
    expect((await run('shard')).stderr).to.match(/not a sharded cluster/);
  });

  it('refuses a file without a uid', async () => {
    await writeFile(join(directory, 'loose.json'), JSON.stringify(boat({ name })));
    const { stdout, exitCode } = await run('add', 'loose.json');
    expect([exitCode, stdout]).to.deep.equal([
      1,
      'refused  loose.json  a model must have a uid, or stand where a Strapi project keeps it\n1 refused',
    ]);
  });
});
