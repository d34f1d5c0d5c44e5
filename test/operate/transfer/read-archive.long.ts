import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ArchiveLimits, openArchive } from '#operate/transfer/archive/open-archive.js';
import { inspectSource, type Manifest } from '#operate/transfer/source.js';
import { type ArchivedFile, metadata, packArchive } from '../../support/pack-archive.js';

const entity = { type: 'api::a.a', id: 1, data: { title: 'ä' } };
const link = {
  kind: 'relation.basic',
  relation: 'oneToOne',
  left: { type: 'api::a.a', ref: 1, field: 'b' },
  right: { type: 'api::b.b', ref: 2 },
};
const files: readonly ArchivedFile[] = [
  { name: 'schemas/schemas_00001.jsonl', content: [{ uid: 'api::a.a', attributes: {} }] },
  { name: 'entities/entities_00001.jsonl', content: [entity, { ...entity, id: 2 }] },
  { name: 'entities/entities_00002.jsonl', content: [{ ...entity, id: 3 }] },
  { name: 'assets/metadata/a.png.json', content: '{}' },
  { name: 'assets/uploads/a.png', content: Buffer.alloc(3_000) },
  { name: 'links/links_00001.jsonl', content: [link] },
];
const whole = [...files, metadata];
const entities = (content: unknown): readonly ArchivedFile[] => [
  { name: 'entities/entities_00001.jsonl', content: content as string },
  metadata,
];

interface HostileCase {
  readonly files: readonly ArchivedFile[];
  readonly name?: string;
  readonly key?: string | null;
  readonly limits?: Partial<ArchiveLimits>;
  /** Bytes that are cut off at the end. */
  readonly cut?: number;
  readonly message: RegExp;
}

const hostile: Readonly<Record<string, HostileCase>> = {
  'a path that leads out': { files: [{ name: 'assets/uploads/../../../x' }, ...whole], message: /leads out of it/ },
  'an absolute path': { files: [{ name: '/etc/passwd' }, ...whole], message: /leads out of it/ },
  'a path of Windows': { files: [{ name: 'C:\\x' }, ...whole], message: /leads out of it/ },
  'a symbolic link': {
    files: [{ name: 'assets/uploads/x', type: 'symlink', linkname: '/etc/passwd' }, ...whole],
    message: /a symlink/,
  },
  'a hard link': { files: [{ name: 'assets/uploads/x', type: 'link', linkname: '/etc/passwd' }, ...whole], message: /a link/ },
  'a device': { files: [{ name: 'assets/uploads/x', type: 'character-device' }, ...whole], message: /a character-device/ },
  'more bytes than allowed': { files: whole, limits: { bytes: 2_000 }, message: /too large when it is decompressed/ },
  'more files than allowed': { files: whole, limits: { files: 3 }, message: /more than 3 files/ },
  'a line that is too long': {
    files: whole,
    limits: { line: 20 },
    message: /schemas_00001.jsonl, line 1 has more than 20 bytes/,
  },
  'a bomb in an asset': {
    files: [{ name: 'assets/uploads/b', content: Buffer.alloc(9_000_000) }, metadata],
    limits: { bytes: 1e6 },
    message: /too large/,
  },
  'no metadata': { files, message: /is incomplete/ },
  'compressed bytes cut off': { files: whole, cut: 40, message: /is truncated/ },
  'plain bytes cut off': { files: whole, name: 'a.tar', cut: 2_500, message: /is truncated|is incomplete/ },
  'a wrong key': { files: whole, name: 'a.tar.gz.enc', key: 'wrong', message: /cannot be decrypted/ },
  'no key': { files: whole, name: 'a.tar.gz.enc', key: null, message: /is encrypted/ },
  'encrypted bytes cut off': { files: whole, name: 'a.tar.gz.enc', cut: 7, message: /cannot be decrypted|is truncated/ },
  'a line that is not JSON': { files: entities('{"type":'), message: /entities_00001.jsonl, line 1 is not a record/ },
  'many empty objects in a line': {
    files: entities(`${JSON.stringify(entity)}\n\n{"type":"api::a.a","id":2,"data":{"title":[{}${',{}'.repeat(1_100_000)}]}}`),
    limits: { line: 24e6 },
    message: /entities_00001.jsonl, line 3 has more than 2000000 values/,
  },
  'many numbers in a link': {
    files: [{ name: 'links/links_00001.jsonl', content: `{"left":[1${',1'.repeat(2_000_001)}]}` }, metadata],
    limits: { line: 24e6 },
    message: /links_00001.jsonl, line 1 has more than 2000000 values/,
  },
  'deep lists in a setting': {
    files: [
      {
        name: 'configuration/configuration_00001.jsonl',
        content: `{"type":"x","value":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
      },
      metadata,
    ],
    message: /configuration_00001.jsonl, line 1 is nested deeper than 100 levels/,
  },
  'a model that is no object': {
    files: [{ name: 'schemas/schemas_00001.jsonl', content: [[1]] }, metadata],
    message: /schemas_00001.jsonl, line 1 is not a record/,
  },
  'more models than fit into memory': {
    files: [
      { name: 'schemas/schemas_00001.jsonl', content: Array.from({ length: 80 }, () => ({ uid: 'x'.repeat(900_000) })) },
      metadata,
    ],
    message: /more models and settings than fit/,
  },
  'something else': { files: [], name: 'a.tar', message: /is incomplete/ },
};

describe('archives of Strapi', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-archive-'));
  });
  after(() => rm(directory, { recursive: true }));

  const inspect = async ({
    files: list,
    name = 'a.tar.gz',
    key = 'secret',
    limits,
    cut = 0,
  }: Omit<HostileCase, 'message'>): Promise<Manifest> => {
    const file = join(directory, name);
    await packArchive(file, list, 'secret');
    if (cut > 0) await writeFile(file, (await readFile(file)).subarray(0, -cut));
    const all = { bytes: 1e9, files: 1e6, line: 1e6, ...limits };
    return inspectSource(await openArchive({ file, key, limits: all }));
  };

  for (const name of ['a.tar', 'a.tar.gz', 'a.tar.enc', 'a.tar.gz.enc'])
    it(`reads ${name}`, async () => {
      const manifest = await inspect({ files: whole, name });
      expect(manifest).to.deep.include({ links: 1, assets: 1, assetBytes: 3_000, entities: new Map([['api::a.a', 3]]) });
    });

  it('reads as deep a line as may be, and brackets in texts', async () => {
    const title = `${'['.repeat(97)}"${'[{,'.repeat(300_000)}\\"["${']'.repeat(97)}`;
    const line = `{"type":"api::a.a","id":1,"data":{"title":[${title}]}}`;
    const { entities: counts } = await inspect({ files: entities(line) });
    expect(counts.get('api::a.a')).to.equal(1);
  });

  const strangers: Readonly<Record<string, unknown>> = {
    'no object': [1],
    'an id that is no number': { ...entity, id: '1' },
    'an id below 1': { ...entity, id: 0 },
    'an id with a fraction': { ...entity, id: 1.5 },
    'a type with a long name': { ...entity, type: 'x'.repeat(1_000) },
  };
  it('reports lines that are not entries, and continues', async () => {
    const manifest = await inspect({ files: entities([...Object.values(strangers), entity]) });
    expect(manifest.entities).to.deep.equal(new Map([['api::a.a', 1]]));
    expect(manifest.records.entities).to.equal(Object.keys(strangers).length + 1);
  });

  for (const [title, { message, ...input }] of Object.entries(hostile))
    it(`refuses ${title}`, async () => {
      const refused: unknown = await inspect(input).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(Error).with.property('message').that.matches(message);
    });
});
