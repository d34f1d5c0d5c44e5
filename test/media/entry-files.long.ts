import { expect } from 'chai';
import { drawNoise } from './draw.js';
import { serveMedia, type Answered, type FormFile, type MediaServer } from './serve-media.js';

const file = (field: string, name = 'a.txt'): FormFile => ({ field, name, type: 'text/plain', bytes: name });
const everything =
  'populate[cover]=*&populate[gallery]=*&populate[shot][populate]=*&populate[shots][populate]=*&populate[blocks][populate]=*';

describe('rest/entry-files', () => {
  let media: MediaServer;
  before(async () => {
    media = await serveMedia();
  });
  after(() => media.stop());

  const create = (data: object, files: readonly FormFile[]): Promise<Answered> =>
    media.upload(files, { data: JSON.stringify(data) }, `POST /api/stories?${everything}`);
  const nameOf = (field: { data: { attributes: { name: string } } | null }): string | undefined => field.data?.attributes.name;
  const namesOf = (field: { data: { attributes: { name: string } }[] | null }): string[] | undefined =>
    field.data?.map(({ attributes }) => attributes.name);

  it('creates an entry with files everywhere', async () => {
    const part = { label: 'p' };
    const { status, body } = await create(
      { title: 't', shot: part, shots: [part, part], blocks: [{ __component: 'shared.shot', ...part }] },
      [
        file('files.cover', 'cover.txt'),
        file('files.gallery', 'g1.txt'),
        file('files.gallery', 'g2.txt'),
        file('files.shot.image', 'shot.txt'),
        file('files.shots[1].image', 'second.txt'),
        file('files.blocks.0.image', 'block.txt'),
      ],
    );
    expect(status).to.equal(200);
    const { cover, gallery, shot, shots, blocks } = body.data.attributes;
    expect([nameOf(cover), namesOf(gallery), nameOf(shot.image), nameOf(blocks[0].image)]).to.deep.equal([
      'cover.txt',
      ['g1.txt', 'g2.txt'],
      'shot.txt',
      'block.txt',
    ]);
    expect([nameOf(shots[0].image), nameOf(shots[1].image)]).to.deep.equal([undefined, 'second.txt']);
  });

  it('updates: a single field is replaced, a list grows, components in the database are found', async () => {
    const { body } = await create({ title: 't', shot: { label: 'x' } }, [
      file('files.cover', '1.txt'),
      file('files.gallery', '1.txt'),
      file('files.gallery', '2.txt'),
    ]);
    const answer = await media.upload(
      [file('files.cover', 'new.txt'), file('files.gallery', 'new.txt'), file('files.shot.image', 'in.txt')],
      { data: '{}' },
      `PUT /api/stories/${body.data.id}?${everything}`,
    );
    const { cover, gallery, shot, title } = answer.body.data.attributes;
    expect([title, nameOf(cover), namesOf(gallery), shot.label, nameOf(shot.image)]).to.deep.equal([
      't',
      'new.txt',
      ['1.txt', '2.txt', 'new.txt'],
      'x',
      'in.txt',
    ]);
  });

  it('creates an entry with a file and relations to entries of two types', async () => {
    const { body } = await create({ title: 'first' }, [file('files.cover', 'first.txt')]);
    const related = { before: body.data.id, notes: [body.data.attributes.cover.data.id], folder: 1 };
    const answer = await create({ title: 'second', ...related }, [file('files.cover', 'second.txt')]);
    expect([answer.status, nameOf(answer.body.data.attributes.cover)]).to.deep.equal([200, 'second.txt']);
    const stored = await media.database.db.collection('stories').findOne({ _id: answer.body.data.id });
    expect([stored?.before, stored?.notes, stored?.folder]).to.deep.equal([related.before, related.notes, related.folder]);
  });

  it('stores files of unknown fields, linked to nothing', async () => {
    const { status, body } = await create({ title: 't' }, [
      file('files.bogus'),
      file('files.shots.7.image'),
      file('files.title'),
    ]);
    expect([status, body.data.attributes.cover.data, body.data.attributes.title]).to.deep.equal([200, null, 't']);
  });

  it('takes a JSON part that has a type', async () => {
    const form = new FormData();
    form.append('data', '{"title":"plain"}');
    const response = await fetch(`${media.url}/api/stories`, { method: 'POST', body: form });
    expect([response.status, ((await response.json()) as { data: { attributes: object } }).data.attributes]).to.deep.include(200);
  });

  const refused: readonly (readonly [
    title: string,
    files: readonly FormFile[],
    fields: Record<string, string>,
    status: number,
    message: string,
  ])[] = [
    [
      'no data',
      [file('files.cover')],
      {},
      400,
      "When using multipart/form-data you need to provide your data in a JSON 'data' field.",
    ],
    [
      'data that is no JSON',
      [file('files.cover')],
      { data: 'nope' },
      400,
      "Invalid 'data' field. 'data' should be a valid JSON.",
    ],
    ['data that is a list', [], { data: '[]' }, 400, "Invalid 'data' field. 'data' should be a valid JSON."],
    [
      'a file without its prefix',
      [file('cover')],
      { data: '{"title":"t"}' },
      400,
      'When using multipart/form-data you need to provide your files by prefixing them with the \'files\'.\nFor example, when a media file is named "avatar", make sure the form key name is "files.avatar"',
    ],
    ['wrong values', [file('files.cover')], { data: '{}' }, 400, 'title must be defined.'],
    [
      'a value that is taken',
      [file('files.cover')],
      { data: '{"title":"t","slug":"taken"}' },
      400,
      'This attribute must be unique',
    ],
    ['prototypes', [], { data: '{"title":"t","__proto__":{"a":1}}' }, 400, 'data has a key that is not allowed'],
  ];
  for (const [title, files, fields, status, message] of refused)
    it(`refuses ${title}, and stores neither entry nor file`, async () => {
      await media.send('POST', '/api/stories', { data: { title: 'first', slug: 'taken' } });
      const count = () => media.database.db.collection('stories').countDocuments();
      const before = [await count(), await media.stored()];
      const answer = await media.upload(files, fields, 'POST /api/stories');
      expect([answer.status, answer.body.error.message]).to.deep.equal([status, message]);
      expect([await count(), await media.stored()]).to.deep.equal(before);
    });

  it('answers 404 for an entry that is not there, and stores nothing', async () => {
    const before = await media.stored();
    const answer = await media.upload([file('files.cover')], { data: '{}' }, 'PUT /api/stories/99999');
    expect(answer.status).to.equal(404);
    expect(await media.stored()).to.deep.equal(before);
  });

  describe('ref, refId and field', () => {
    const linked = async (fields: Record<string, string>): Promise<Answered> =>
      media.upload([file('files', 'linked.txt')], fields);

    it('link to an entry, and to a component by its id', async () => {
      const { body } = await create({ title: 't', shots: [{ label: 'a' }, { label: 'b' }] }, []);
      const { id, attributes } = body.data;
      expect((await linked({ ref: 'api::story.story', refId: String(id), field: 'cover' })).status).to.equal(200);
      expect((await linked({ ref: 'shared.shot', refId: String(attributes.shots[1].id), field: 'image' })).status).to.equal(200);
      const found = (await media.send('GET', `/api/stories/${id}?${everything}`)).body.data.attributes;
      expect([nameOf(found.cover), nameOf(found.shots[0].image), nameOf(found.shots[1].image)]).to.deep.equal([
        'linked.txt',
        undefined,
        'linked.txt',
      ]);
    });

    it('link nothing if the entry or the field does not exist', async () => {
      for (const fields of [
        { ref: 'api::story.story', refId: '99999', field: 'cover' },
        { ref: 'api::story.story', refId: '{"$ne":null}', field: 'cover' },
        { ref: 'api::story.story', refId: '1', field: 'constructor' },
        { ref: 'shared.shot', refId: '99999', field: 'image' },
      ])
        expect((await linked(fields)).status, JSON.stringify(fields)).to.equal(200);
    });
  });

  it('takes files over GraphQL, and deletes those that no operation used', async () => {
    const query =
      'mutation ($f: Upload!) { upload(file: $f, info: { caption: "c" }) { data { id attributes { name caption } } } }';
    const send = (text: string) =>
      media.upload(
        [file('0', 'graph.txt')],
        { operations: JSON.stringify({ query: text, variables: { f: null } }), map: '{"0":["variables.f"]}' },
        'POST /graphql',
      );
    const { body } = await send(query);
    expect(body.data.upload.data.attributes).to.deep.equal({ name: 'graph.txt', caption: 'c' });
    const before = await media.stored();
    const wrong = 'mutation ($f: Upload!) { upload(file: $f, caption: "no such argument") { data { id } } }';
    expect((await send(wrong)).body.errors).to.have.length(1);
    expect(await media.stored()).to.deep.equal(before);
    const removed = await media.send('POST', '/graphql', {
      query: `mutation { removeFile(id: ${body.data.upload.data.id}) { data { attributes { name } } } }`,
    });
    expect(removed.body.data.removeFile.data.attributes.name).to.equal('graph.txt');
    const none = await media.send('POST', '/graphql', { query: 'mutation { multipleUpload(files: []) { data { id } } }' });
    expect(none.body).to.deep.equal({ data: { multipleUpload: [] } });
  });

  const mutation = 'mutation ($f: Upload!) { upload(file: $f) { data { id } } }';
  const operations = (query: string, rest: object = {}): string => JSON.stringify({ query, variables: { f: null }, ...rest });
  const map = '{"0":["variables.f"]}';
  const onlyUploads = 'Files are accepted only for variables of type Upload of a mutation';
  const unused: readonly (readonly [title: string, fields: Readonly<Record<string, string>>, message: string])[] = [
    ['a query', { operations: operations('query ($f: Upload) { uploadFile(id: 1) { data { id } } }'), map }, onlyUploads],
    ['a variable of another type', { operations: operations('mutation ($f: JSON) { __typename }'), map }, onlyUploads],
    ['a variable that is not declared', { operations: operations('mutation { __typename }'), map }, onlyUploads],
    ['a path beside the variables', { operations: operations(mutation), map: '{"0":["query"]}' }, onlyUploads],
    [
      'another operation',
      { operations: operations(`${mutation} query Q { __typename }`, { operationName: 'Q' }), map },
      onlyUploads,
    ],
    ['a variable that no argument takes', { operations: operations('mutation ($f: Upload) { __typename }'), map }, onlyUploads],
    [
      'a login beside an unused variable',
      { operations: operations('mutation ($f: Upload) { login(input: { identifier: "a", password: "b" }) { jwt } }'), map },
      onlyUploads,
    ],
    ['an empty map', { operations: operations(mutation), map: '{}' }, 'The field map names no variable for the file 0'],
    [
      'a file beside the map',
      { operations: operations(mutation), map: '{"1":["variables.f"]}' },
      'The field map names no variable for the file 0',
    ],
    [
      'more variables than a file can be for',
      { operations: operations(mutation), map: JSON.stringify({ 0: Array.from({ length: 101 }, () => 'variables.f') }) },
      'The field map names more than 100 variables for the file 0',
    ],
    ['what is no GraphQL', { operations: operations('{'), map }, onlyUploads],
    ['no operations', { map }, 'The field operations must come before the files'],
    ['no map', { operations: operations(mutation) }, 'The field map must come before the files'],
    ['a map that is no JSON', { operations: operations(mutation), map: '{' }, 'The field map is not valid JSON'],
  ];
  for (const [title, fields, message] of unused)
    it(`reads no file that no GraphQL operation uses: ${title}`, async () => {
      const before = await media.stored();
      const { status, body } = await media.upload([file('0', 'unused.txt')], fields, 'POST /graphql');
      expect([status, body.error.message]).to.deep.equal([400, message]);
      expect(await media.stored()).to.deep.equal(before);
    });

  describe('the generated GraphQL mutations of files', () => {
    const mutate = async (mutation: string): Promise<Answered> =>
      media.send('POST', '/graphql', { query: `mutation { ${mutation} { data { id attributes { name caption hash } } } }` });

    it('deleteUploadFile takes the bytes, the variants and the links with it', async () => {
      const before = await media.stored();
      const image = { name: 'wide.png', type: 'image/png', bytes: await drawNoise(300, 100) };
      const { body } = await create({ title: 't', shot: {} }, [
        { ...image, field: 'files.cover' },
        { ...image, field: 'files.shot.image' },
      ]);
      const { cover, shot } = body.data.attributes;
      expect((await media.stored()).names.length).to.equal(before.names.length + 4);
      for (const { data } of [cover, shot.image]) {
        const answer = await mutate(`deleteUploadFile(id: ${data.id})`);
        expect(answer.body.data.deleteUploadFile.data.attributes.hash).to.equal(data.attributes.hash);
        expect((await mutate(`deleteUploadFile(id: ${data.id})`)).body.data.deleteUploadFile.data).to.equal(null);
      }
      expect(await media.stored()).to.deep.equal(before);
      const stored = await media.database.db.collection('stories').findOne({ _id: body.data.id });
      expect([stored?.cover, stored?.shot.image]).to.deep.equal([null, null]);
    });

    it('updateUploadFile changes the information of a file, and never its address', async () => {
      const [one] = (await media.upload([file('files', 'one.txt')])).body;
      const { body } = await mutate(`updateUploadFile(id: ${one.id}, data: { name: "New", caption: "c" })`);
      expect(body.data.updateUploadFile.data.attributes).to.deep.equal({ name: 'New', caption: 'c', hash: one.hash });
      for (const change of ['hash: "x"', 'ext: ".x"', 'formats: "{}"', 'url: "/x"', 'provider: "x"', 'size: 1'])
        expect((await mutate(`updateUploadFile(id: ${one.id}, data: { ${change} })`)).body.errors[0].message).to.equal(
          `${change.split(':')[0] ?? ''} follows from the content of the file and cannot be changed`,
        );
      expect((await media.send('GET', one.url)).body).to.equal('one.txt');
    });

    it('createUploadFile accepts files stored elsewhere, and none stored here', async () => {
      const [one] = (await media.upload([file('files', 'one.txt')])).body;
      const row = (hash: string) =>
        `createUploadFile(data: { name: "n", hash: "${hash}", ext: ".txt", mime: "text/plain", size: 1, url: "https://x.test/n", provider: "x", folderPath: "/" })`;
      expect((await mutate(row(one.hash))).body.errors[0].message).to.equal('hash is that of another file');
      const { id } = (await mutate(row('elsewhere'))).body.data.createUploadFile.data;
      expect((await mutate(`deleteUploadFile(id: ${id})`)).body.data.deleteUploadFile.data.id).to.equal(id);
      expect((await media.send('GET', one.url)).body).to.equal('one.txt');
    });

    const variants = (count: number, url: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`v${String(at)}`, { url }]));
    const external: readonly (readonly [title: string, row: object, message: RegExp | null])[] = [
      ['of this host', { url: '/files/n' }, null],
      ['with as many variants as there may be', { formats: variants(100, 'http://x.test/v') }, null],
      ['with more variants', { formats: variants(101, 'http://x.test/v') }, /more than 100 variants/],
      ['with thousands of variants', { formats: variants(20_000, '/v') }, /more than 100 variants/],
      ['with the address of a script', { url: 'javascript:alert(1)' }, /url must begin with/],
      ['with an address of another host without a protocol', { url: '//x.test/n' }, /url must begin with/],
      ['with a page as its preview', { previewUrl: 'data:text/html,x' }, /url must begin with/],
      ['with a script among its variants', { formats: variants(1, ' JavaScript:1') }, /url must begin with/],
    ];
    for (const [title, row, message] of external)
      it(`createUploadFile ${message === null ? 'accepts' : 'refuses'} a file ${title}, by one command`, async () => {
        const query = 'mutation ($row: UploadFileInput!) { createUploadFile(data: $row) { data { id } } }';
        const values = {
          name: 'n',
          hash: 'elsewhere',
          mime: 'text/plain',
          size: 1,
          url: 'https://x.test/n',
          provider: 'x',
          folderPath: '/',
        };
        const send = () => media.send('POST', '/graphql', { query, variables: { row: { ...values, ...row } } });
        const { result, commands } = await media.countCommands(send);
        if (message === null) expect(result.body.errors).to.equal(undefined);
        else expect(result.body.errors[0].message).to.match(message);
        expect(commands.filter((name) => name === 'find').length).to.be.at.most(2);
      });
  });
});
