import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';
import { formOf, type FormFile } from './serve-media.js';

const media = { type: 'media', multiple: false };
const models: readonly TestModel[] = [
  { uid: 'shared.shot', info: {}, attributes: { label: { type: 'string' }, image: { ...media, allowedTypes: ['images'] } } },
  {
    uid: 'api::story.story',
    kind: 'collectionType',
    info: { singularName: 'story', pluralName: 'stories', displayName: 'Story' },
    attributes: {
      title: { type: 'string' },
      cover: media,
      avatar: { ...media, allowedTypes: ['images'] },
      gallery: { ...media, multiple: true, allowedTypes: ['images', 'videos'] },
      texts: { ...media, multiple: true, allowedTypes: ['files'] },
      shot: { type: 'component', component: 'shared.shot' },
      shots: { type: 'component', component: 'shared.shot', repeatable: true },
      blocks: { type: 'dynamiczone', components: ['shared.shot'] },
    },
  },
];

const text = (field = 'files'): FormFile => ({ field, name: 'a.txt', type: 'text/plain', bytes: 'plain text' });
const story = 'api::story.story';

interface Answer {
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  readonly body: any;
}
type Send = (serving: Serving) => Promise<Answer>;

const form =
  (files: readonly FormFile[], fields: Readonly<Record<string, string>> = {}, route = 'POST /api/upload'): Send =>
  async ({ server }) => {
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(server.url + path, { method, body: formOf(files, fields) });
    return { status: response.status, body: await response.json() };
  };
const entry = (files: readonly FormFile[], data: object = {}, route = 'POST /api/stories'): Send =>
  form(files, { data: JSON.stringify(data) }, route);
const json =
  (data: object, method = 'POST', path = '/api/stories'): Send =>
  ({ call }) =>
    call(method, path, { data });
const graphql =
  (query: string): Send =>
  ({ call }) =>
    call('POST', '/graphql', { query });
const graphqlUpload = (target: string): Send =>
  form(
    [{ ...text('0') }],
    {
      operations: JSON.stringify({
        query: `mutation ($f: Upload!) { upload(file: $f, ${target}) { data { id } } }`,
        variables: { f: null },
      }),
      map: '{"0":["variables.f"]}',
    },
    'POST /graphql',
  );

/**
 * A request that is not carried out completely, the line of the log, and the path of the error in strict mode. File 1 is a text, 2 an
 * image.
 */
const requests: readonly (readonly [what: string, send: Send, line: RegExp | null, path: readonly string[] | null])[] = [
  ['a text for images, by id', json({ avatar: 1 }), /^avatar of api::story\.story takes only images, and/, ['avatar']],
  ['a text for images, in an update', json({ avatar: 1 }, 'PUT', '/api/stories/1'), /^avatar of/, ['avatar']],
  ['a text among several', json({ gallery: [2, 1] }), /^gallery of api::story\.story takes only images, videos/, ['gallery']],
  ['a text that is connected', json({ gallery: { connect: [1] } }), /^gallery of/, ['gallery']],
  ['an image for files', json({ texts: [1, 2] }), /^texts of api::story\.story takes only files/, ['texts']],
  [
    'a text in a component',
    json({ shot: { image: 1 } }),
    /^shot\.image of api::story\.story takes only images/,
    ['shot', 'image'],
  ],
  ['a text in a list', json({ shots: [{ image: 2 }, { image: 1 }] }), /^shots\.image of/, ['shots', '1', 'image']],
  [
    'a text in a zone',
    json({ blocks: [{ __component: 'shared.shot', image: 1 }] }),
    /^blocks\.image of/,
    ['blocks', '0', 'image'],
  ],
  ['a text over GraphQL', graphql('mutation { createStory(data: { avatar: 1 }) { data { id } } }'), /^avatar of/, ['avatar']],
  ['a text in an upload', form([text()], { ref: story, refId: '1', field: 'avatar' }), /^avatar of/, ['avatar']],
  ['a text in an upload over GraphQL', graphqlUpload(`ref: "${story}", refId: "1", field: "avatar"`), /^avatar of/, ['avatar']],
  ['a text in a form', entry([text('files.avatar')]), /^avatar of/, ['avatar']],
  [
    'a text in a form, in a component',
    entry([text('files.shots.0.image')], { shots: [{}] }),
    /^shots\.image of/,
    ['shots', '0', 'image'],
  ],
  ['files that are allowed', json({ avatar: 2, gallery: [2], texts: [1], cover: 1 }), null, null],
  [
    'an upload for an unknown entry',
    form([text()], { ref: story, refId: '999', field: 'cover' }),
    /^upload: refId names no entry of api::story/,
    ['refId'],
  ],
  ['an upload for no id', form([text()], { ref: story, refId: 'x', field: 'cover' }), /^upload: refId names no entry/, ['refId']],
  [
    'an upload for an unknown component',
    form([text()], { ref: 'shared.shot', refId: '999', field: 'image' }),
    /^upload: refId names no entry of shared\.shot/,
    ['refId'],
  ],
  [
    'an upload for an unknown attribute',
    form([text()], { ref: story, refId: '1', field: 'covr' }),
    /^upload: field "covr" is not a media/,
    ['field'],
  ],
  [
    'an upload for a text attribute',
    form([text()], { ref: story, refId: '1', field: 'title' }),
    /^upload: field "title" is not a media/,
    ['field'],
  ],
  ['an upload without field', form([text()], { ref: story, refId: '1' }), /^upload: field is missing/, ['field']],
  ['an upload without ref', form([text()], { refId: '1', field: 'cover' }), /^upload: ref is missing/, ['ref']],
  [
    'an upload without refId over GraphQL',
    graphqlUpload(`ref: "${story}", field: "cover"`),
    /^upload: refId is missing/,
    ['refId'],
  ],
  [
    'an upload with another field',
    form([text(), text('cover')]),
    /^upload: the files in the field "cover" are not stored/,
    ['cover'],
  ],
  ['an upload that is linked', form([text()], { ref: story, refId: '1', field: 'cover' }), null, null],
  ['an upload alone', form([text()]), null, null],
  [
    'a file of an unknown attribute',
    entry([text('files.xyz')]),
    /^upload: "files\.xyz" is not a media attribute of api::story/,
    ['files', 'xyz'],
  ],
  ['a file of a text attribute', entry([text('files.title')]), /^upload: "files\.title"/, ['files', 'title']],
  [
    'a file of an unknown index',
    entry([text('files.shots.7.image')], { shots: [{}] }),
    /"files\.shots\.image" is not a media/,
    ['files', 'shots', '7', 'image'],
  ],
  [
    'a file of an unknown attribute of a component',
    entry([text('files.shot.img')], { shot: {} }),
    /"files\.shot\.img" is/,
    ['files', 'shot', 'img'],
  ],
  ['a file of a form that is linked', entry([text('files.cover')], { title: 'a' }), null, null],
];

describe('what an upload or a file of an entry asks for and does not get', () => {
  let lenient: Serving;
  let strict: Serving;
  let log: Log;
  before(async () => {
    log = await createLog();
    lenient = await serveModels({ models, logger: log.logger });
    strict = await serveModels({ models, config: { api: { rest: { strict: true } } } });
    for (const serving of [lenient, strict]) {
      const files = [
        { name: 'a.txt', mime: 'text/plain' },
        { name: 'a.png', mime: 'image/png' },
      ].map((file, index) => ({
        _id: index + 1,
        ...file,
        hash: String(index),
        ext: '',
        size: 1,
        url: `/uploads/${file.name}`,
        provider: 'local',
      }));
      await serving.database.db.collection<{ _id: number }>('files').insertMany(files);
      await serving.database.db
        .collection<{ _id: string }>('_counters')
        .updateOne({ _id: 'files' }, { $set: { last: 100 } }, { upsert: true });
      await serving.call('POST', '/api/stories', { data: { title: 'first' } });
    }
  });
  after(() => Promise.all([lenient.stop(), strict.stop()]));

  const told = (): string[] => log.lines.filter(({ level }) => level === 40).map(({ msg }) => String(msg));

  for (const [what, send, line, path] of requests)
    it(what, async () => {
      const before = told();
      for (const round of [1, 2]) {
        const { status, body } = await send(lenient);
        expect([status, body.errors], `${String(round)}: ${JSON.stringify(body)}`).to.deep.equal([200, undefined]);
      }
      if (line === null) expect(told()).to.deep.equal(before);
      else
        expect(
          told().filter((one) => line.test(one)),
          told().join('\n'),
        ).to.have.length(1);
      const { status, body } = await send(strict);
      const error = body.error ?? body.errors?.[0]?.extensions.error;
      if (path === null) expect([status, error]).to.deep.equal([200, undefined]);
      else expect([error.name, error.details.errors[0].path]).to.deep.equal(['ValidationError', path]);
    });

  it('sends no more commands than before', async () => {
    await lenient.settled();
    const { commands } = await lenient.countCommands(() =>
      lenient.call('POST', '/api/stories', { data: { avatar: 2, gallery: [2] } }),
    );
    expect(commands).to.deep.equal(['aggregate', 'insert']);
  });
});
