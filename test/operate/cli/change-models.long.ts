import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { collectionType as model } from '../../support/collection-type.js';
import { runCli, type CliResult } from '../../support/run-cli.js';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';

const part = (attributes: object): TestModel => ({ uid: 'shared.part', info: { displayName: 'Part' }, attributes });
const string = { type: 'string' };
const parts = { type: 'component', repeatable: true, component: 'shared.part' };

const documents = {
  things: [
    {
      _id: 1,
      name: 'a',
      code: '1',
      size: '10',
      parts: [
        { id: 1, text: 'x' },
        { id: 2, text: 'long text' },
      ],
      day: '2024-02-29',
    },
    { _id: 2, name: 'b', code: '2', size: 'big', parts: [{ id: 3, text: 'y' }], day: 'soon' },
    { _id: 3, name: 'b', code: '3', size: '7.5', parts: [], day: '2024-01-01' },
    { _id: 4, name: null, code: '4', size: null, parts: [{ id: 4, text: 'x' }], day: null },
  ],
  olds: [{ _id: 1, name: 'kept' }],
  boxes: [
    { _id: 1, lid: { id: 1, text: 'x' } },
    { _id: 2, lid: { id: 2, text: null } },
    { _id: 3, lid: null },
  ],
};
const attributes = { name: string, code: string, size: string, day: string, parts };
const lid = (attributes: object): TestModel => ({ ...part(attributes), uid: 'shared.lid' });
const box: TestModel = { ...model('box', { lid: { type: 'component', component: 'shared.lid' } }), collectionName: 'boxes' };
const thing = (changed: object = {}, rest: object = {}): TestModel => model('thing', { ...attributes, ...changed }, rest);

describe('npx mangrove models, on changes of models', function () {
  this.timeout(60_000);
  let directory: string;
  let database: FreshDatabase;
  let serving: Serving;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-change-'));
    database = await freshDatabase();
    serving = await serveModels({
      models: [thing(), part({ text: string }), model('old', { name: string }), lid({ text: string }), box],
      documents,
      database,
    });
  });
  after(async () => {
    await serving.stop();
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  });

  const run = (...args: readonly string[]): Promise<CliResult> =>
    runCli('models', args, { directory, env: { MONGODB_URI: database.uri } });
  const write = async (...models: readonly TestModel[]): Promise<string[]> =>
    Promise.all(
      models.map(async ({ uid, ...model }) => {
        const file = join(directory, `${uid.replaceAll(/[.:]+/g, '-')}.json`);
        await writeFile(file, JSON.stringify({ uid, ...model }));
        return file;
      }),
    );
  const stored = () => database.db.collection('things').find().sort({ _id: 1 }).toArray();

  const rules: readonly (readonly [what: string, models: readonly TestModel[], found: readonly object[]])[] = [
    ['required', [thing({ name: { ...string, required: true } })], [{ attribute: 'name', rule: 'required', count: 1, ids: [4] }]],
    ['unique', [thing({ name: { ...string, unique: true } })], [{ attribute: 'name', rule: 'unique', count: 2, ids: [2, 3] }]],
    [
      'minLength',
      [thing({ name: { ...string, minLength: 2 } })],
      [{ attribute: 'name', rule: 'minLength', count: 3, ids: [1, 2, 3] }],
    ],
    [
      'maxLength',
      [thing({ size: { ...string, maxLength: 2 } })],
      [{ attribute: 'size', rule: 'maxLength', count: 2, ids: [2, 3] }],
    ],
    [
      'enum',
      [thing({ name: { type: 'enumeration', enum: ['a'] } })],
      [{ attribute: 'name', rule: 'enum', count: 2, ids: [2, 3] }],
    ],
    ['type', [thing({ code: { type: 'integer' } })], [{ attribute: 'code', rule: 'type', count: 4, ids: [1, 2, 3, 4] }]],
    ['regex', [thing({ size: { ...string, regex: '^\\d+$' } })], [{ attribute: 'size', rule: 'regex', count: 2, ids: [2, 3] }]],
    [
      'type of a text',
      [thing({ day: { type: 'uid' }, name: { type: 'email' } })],
      [{ attribute: 'name', rule: 'type', count: 3, ids: [1, 2, 3] }],
    ],
    ['min of a list', [thing({ parts: { ...parts, min: 2 } })], [{ attribute: 'parts', rule: 'min', count: 2, ids: [2, 4] }]],
    ['min 1 of a list', [thing({ parts: { ...parts, min: 1 } })], []],
    [
      'min of a required list',
      [thing({ parts: { ...parts, min: 1, required: true } })],
      [{ attribute: 'parts', rule: 'min', count: 1, ids: [3] }],
    ],
    ['max of a list', [thing({ parts: { ...parts, max: 1 } })], [{ attribute: 'parts', rule: 'max', count: 1, ids: [1] }]],
    [
      'rules in components',
      [part({ text: { ...string, unique: true, maxLength: 3 } })],
      [
        { attribute: 'parts.text', rule: 'maxLength', count: 1, ids: [1] },
        { attribute: 'parts.text', rule: 'unique', count: 2, ids: [1, 4] },
      ],
    ],
    [
      'type in a component that is no list',
      [lid({ text: { type: 'integer' } })],
      [{ attribute: 'lid.text', rule: 'type', count: 1, ids: [1] }],
    ],
    ['nothing', [thing({ code: { ...string, unique: true, required: true } })], []],
  ];
  for (const [what, models, found] of rules)
    it(`validate counts the entries that break the rule: ${what}`, async () => {
      const { stdout, exitCode } = await run('validate', ...(await write(...models)), '--json');
      const { data } = JSON.parse(stdout) as { data: Record<string, unknown>[] };
      expect(data.map(({ attribute, rule, count, ids }) => ({ attribute, rule, count, ids }))).to.deep.equal(found);
      expect(exitCode).to.equal(found.length > 0 ? 1 : 0);
    });

  it('validate shows five ids and says how many there are', async () => {
    const { stdout, exitCode } = await run('validate', ...(await write(thing({ code: { type: 'integer' } }))));
    expect(stdout).to.match(/data\s+api::thing\.thing\s+code: 4 entries break the rule type: 1, 2, 3, 4/);
    expect(exitCode).to.equal(1);
  });

  const conversions: readonly (readonly [args: string, before: readonly unknown[], after: readonly unknown[]])[] = [
    ['code --to integer', ['1', '2', '3', '4'], [1, 2, 3, 4]],
    ['code --to biginteger', [1, 2, 3, 4], ['1', '2', '3', '4']],
    ['code --to string', ['1', '2', '3', '4'], ['1', '2', '3', '4']],
    ['code --to decimal', ['1', '2', '3', '4'], [1, 2, 3, 4]],
    ['code --to json', [1, 2, 3, 4], [1, 2, 3, 4]],
    ['code --to text', [1, 2, 3, 4], ['1', '2', '3', '4']],
    ['name --to enumeration', ['a', 'b', 'b', null], ['a', 'b', 'b', null]],
    ['name --to string', ['a', 'b', 'b', null], ['a', 'b', 'b', null]],
    ['size --to decimal --unconvertible null', ['10', 'big', '7.5', null], [10, null, 7.5, null]],
    ['day --to date --unconvertible null', ['2024-02-29', 'soon', '2024-01-01', null], ['2024-02-29', null, '2024-01-01', null]],
    [
      'day --to datetime',
      ['2024-02-29', null, '2024-01-01', null],
      ['2024-02-29T00:00:00.000Z', null, '2024-01-01T00:00:00.000Z', null],
    ],
    [
      'day --to richtext',
      ['2024-02-29T00:00:00.000Z', null, '2024-01-01T00:00:00.000Z', null],
      ['2024-02-29T00:00:00.000Z', null, '2024-01-01T00:00:00.000Z', null],
    ],
  ];
  for (const [args, given, expected] of conversions)
    it(`convert ${args} changes the model and the values`, async () => {
      const [name = '', ...words] = args.split(' ');
      const answered = async (): Promise<unknown[]> => {
        const { body } = await serving.call('GET', '/api/things');
        return (body.data as { attributes: Record<string, unknown> }[]).map(({ attributes: { [name]: value } }) => value);
      };
      expect(await answered()).to.deep.equal(given);
      const { stdout, stderr, exitCode } = await run('convert', 'api::thing.thing', name, ...words);
      expect(exitCode, stdout + stderr).to.equal(0);
      await serving.settled();
      expect(await answered()).to.deep.equal(expected);
      expect(JSON.stringify(await stored())).to.not.include('_converted');
    });

  it('convert refuses what cannot be converted, and a dry run counts it, with the reason', async () => {
    const uid = 'api::thing.thing';
    for (const words of [['--dry-run'], []]) {
      const { stdout, exitCode } = await run('convert', uid, 'name', '--to', 'integer', ...words);
      expect(exitCode).to.equal(1);
      expect(stdout).to.include('string to integer: 0 can be converted, 3 cannot').and.include('things 1: "a" is not a number');
    }
    const { stdout } = await run('convert', uid, 'code', '--to', 'string', '--dry-run', '--json');
    expect(JSON.parse(stdout)).to.deep.include({ from: 'text', to: 'string', convertible: 4, unconvertible: 0 });
    expect((await database.db.collection('_models').findOne({ _id: uid as never }))?.['attributes'].name).to.deep.equal(string);
    const wrong: readonly (readonly [args: readonly string[], message: string])[] = [
      [['api::thing.thin', 'name', '--to', 'json'], 'there is no model api::thing.thin; did you mean api::thing.thing?'],
      [[uid, 'nam', '--to', 'json'], 'has no attribute nam; did you mean name?'],
      [[uid, 'parts', '--to', 'json'], 'parts is not a scalar attribute'],
      [[uid, 'name', '--to', 'intger'], 'nothing can be converted to intger; did you mean integer?'],
      [[uid, 'name'], '--to TYPE is missing'],
      [[uid, 'name', '--to', 'json', '--unconvertible', 'zero'], '--unconvertible takes null'],
    ];
    for (const [args, message] of wrong) {
      const { stderr, exitCode } = await run('convert', ...args);
      expect(exitCode).to.equal(1);
      expect(stderr).to.include(message);
    }
  });

  it('convert loses no write that comes meanwhile', async () => {
    const last = new Map<number, number>();
    let isOver = false;
    const write = async (id: number): Promise<void> => {
      for (let value = id * 1_000; !isOver; value += 1) {
        const { status } = await serving.call('PUT', `/api/things/${String(id)}`, { data: { code: String(value) } });
        if (status === 200) last.set(id, value);
      }
    };
    const writers = [1, 2, 3, 4].map(write);
    const { stdout, stderr, exitCode } = await run('convert', 'api::thing.thing', 'code', '--to', 'integer');
    isOver = true;
    await Promise.all(writers);
    expect(exitCode, stdout + stderr).to.equal(0);
    expect((await stored()).map(({ _id, code }) => [_id, code])).to.deep.equal([...last].sort(([a], [b]) => a - b));
    expect((await run('convert', 'api::thing.thing', 'code', '--to', 'text')).exitCode).to.equal(0);
    await serving.settled();
  });

  it('convert changes values inside components', async () => {
    const { stdout, stderr, exitCode } = await run('convert', 'shared.part', 'text', '--to', 'json', '--unconvertible', 'null');
    expect(exitCode, stdout + stderr).to.equal(0);
    expect((await stored())[0]?.['parts']).to.deep.equal([
      { id: 1, text: null },
      { id: 2, text: null },
    ]);
  });

  it('removed lists removed attributes and types, restore-removed puts them back, purge deletes their data', async () => {
    expect((await run('removed')).stdout).to.equal('nothing is removed');
    const [file = ''] = await write(model('thing', { name: string, parts }));
    expect((await run('add', file, '--force')).exitCode).to.equal(0);
    expect((await run('remove', 'api::old.old')).exitCode).to.equal(0);
    const list = async () =>
      JSON.parse((await run('removed', '--json')).stdout) as { uid: string; attribute: string | null; entries: number }[];
    const shown = async () =>
      (await list()).map(({ uid, attribute, entries }) => `${uid} ${String(attribute)} ${String(entries)}`).sort();
    expect(await shown()).to.deep.equal([
      'api::old.old null 1',
      'api::thing.thing code 4',
      'api::thing.thing day 2',
      'api::thing.thing size 2',
    ]);
    expect((await run('restore-removed', 'api::thing.thing', 'size')).stdout).to.include(
      'restored api::thing.thing size: 2 entries with data',
    );
    expect((await run('restore-removed', 'api::old.old')).exitCode).to.equal(0);
    await serving.settled();
    const { body } = await serving.call('GET', '/api/things/1');
    expect(body.data.attributes).to.include({ size: 10 }).and.not.have.property('code');
    expect((await serving.call('GET', '/api/olds/1')).body.data.attributes.name).to.equal('kept');
    const asked = await run('purge', 'api::thing.thing', 'code');
    expect(asked.exitCode).to.equal(1);
    expect(asked.stdout).to.include('the data of 4 entries would be deleted for ever; add --yes');
    expect((await run('purge', 'api::thing.thing', 'code', '--yes')).stdout).to.include(
      'deleted api::thing.thing code: the data of 4 entries',
    );
    expect(JSON.stringify(await stored()))
      .to.include('"size"')
      .and.not.include('"code"');
    expect((await run('remove', 'api::old.old')).exitCode).to.equal(0);
    expect((await run('purge', 'api::old.old', '--yes')).exitCode).to.equal(0);
    expect(await database.db.listCollections({ name: 'olds' }).toArray()).to.deep.equal([]);
    expect(await shown()).to.deep.equal(['api::thing.thing day 2']);
    const { stderr, exitCode } = await run('purge', 'api::thing.thing', 'size', '--yes');
    expect(exitCode).to.equal(1);
    expect(stderr).to.include('api::thing.thing size is not removed');
  });
});
