import { expect } from 'chai';
import { bookshopModels } from '../../support/read-project.js';
import { serveModels, type Serving } from '../../support/serve.js';

type Problem = readonly [path: string, message: string];

type Refused = readonly [path: string, body: object, problems: readonly Problem[]];

const unknown: Problem = ['content', 'Cannot build relations store from dynamiczone, component identifier is undefined'];
const invalid: Problem = ['content', 'Invalid relations'];

/** Values of a dynamic zone that are no list, and what is wrong besides that. */
const wrongZones: readonly (readonly [value: unknown, problems: readonly Problem[]])[] = [
  ['x', [unknown]],
  ['', [unknown]],
  [5, [unknown]],
  [0, [unknown]],
  [true, [unknown]],
  [false, [unknown]],
  [{}, [unknown]],
  [{ __component: null }, [unknown]],
  [{ __component: '' }, [unknown]],
  [{ __component: 5 }, [invalid]],
  [{ __component: 'no.such' }, [invalid]],
  [{ __component: 'blocks.rich-text' }, []],
];

/** Values inside the quoted one are quoted once more. */
function notAnArray(value: unknown): string {
  const quoted =
    typeof value !== 'object'
      ? value
      : Object.fromEntries(Object.entries(value ?? {}).map(([key, inner]) => [key, JSON.stringify(inner)]));
  return `content must be a \`array\` type, but the final value was: \`${JSON.stringify(quoted, null, 2)}\`.`;
}

/** Path, body, and each thing that is wrong with it; paths as clients write them. */
const refused: readonly Refused[] = [
  ['/api/authors', {}, [['name', 'name must be defined.']]],
  ['/api/authors', { name: null }, [['name', 'name must be a `string` type, but the final value was: `null`.']]],
  ['/api/authors', { name: 5 }, [['name', 'name must be a `string` type, but the final value was: `5`.']]],
  ['/api/authors', { name: 'x' }, [['name', 'name must be at least 2 characters']]],
  ['/api/authors', { name: 'x'.repeat(61) }, [['name', 'name must be at most 60 characters']]],
  ['/api/authors', { name: 'ok', email: 'x' }, [['email', 'email must be a valid email']]],
  ['/api/authors', { name: 'ok', email: '' }, [['email', 'email cannot be empty']]],
  ['/api/authors', { name: 'ok', slug: 'a b' }, [['slug', 'slug must match the following: "/^[A-Za-z0-9-_.~]*$/"']]],
  ['/api/books', { title: 'T', isbn: 'x' }, [['isbn', 'isbn must match the following: "/^[0-9-]{4,17}$/"']]],
  [
    '/api/books',
    { title: 'T', price: 'abc' },
    [['price', 'price must be a `number` type, but the final value was: `NaN` (cast from the value `"abc"`).']],
  ],
  ['/api/books', { title: 'T', price: -1 }, [['price', 'price must be greater than or equal to 0']]],
  ['/api/books', { title: 'T', pages: 1.5 }, [['pages', 'pages must be an integer']]],
  ['/api/books', { title: 'T', pages: 5001 }, [['pages', 'pages must be less than or equal to 5000']]],
  [
    '/api/books',
    { title: 'T', format: 'ebook' },
    [['format', 'format must be one of the following values: hardcover, paperback, audio, ']],
  ],
  [
    '/api/reviews',
    { rating: 3, verified: 'yes' },
    [['verified', 'verified must be a `boolean` type, but the final value was: `"yes"`.']],
  ],
  [
    '/api/reviews',
    { rating: null, verified: true },
    [['rating', 'rating must be a `number` type, but the final value was: `NaN`.']],
  ],
  ['/api/publishers', { name: 'P' }, [['address', 'address must be defined.']]],
  ['/api/publishers', { name: 'P', address: {} }, [['address.city', 'address.city must be defined.']]],
  ['/api/publishers', { name: 'P', address: 5 }, [['address', 'address must be a `object` type, but the final value was: `5`.']]],
  [
    '/api/publishers',
    { name: 'P', address: { city: 'W', country: 'XX' } },
    [['address.country', 'address.country must be one of the following values: AT, FR, KE, VN, ']],
  ],
  ['/api/events', { name: 'E', links: [{ url: 'https://x' }] }, [['links.0.label', 'links[0].label must be defined.']]],
  [
    '/api/events',
    { name: 'E', links: [{ label: 'a', url: 'x' }] },
    [['links.0.url', 'links[0].url must match the following: "/^https?:\\/\\//"']],
  ],
  [
    '/api/events',
    { name: 'E', links: Array(4).fill({ label: 'a' }) },
    [['links', 'links field must have less than or equal to 3 items']],
  ],
  ['/api/events', { name: 'E', links: {} }, [['links', 'links must be a `array` type, but the final value was: `{}`.']]],
  [
    '/api/events',
    { name: 'E', links: [null] },
    [['links.0', 'links[0] must be a `object` type, but the final value was: `null`.']],
  ],
  [
    '/api/books',
    { title: 'T', content: [{ text: 'x' }] },
    [
      ['content.0.__component', 'content[0].__component is a required field'],
      ['content.0', 'Cannot build relations store from dynamiczone, component identifier is undefined'],
    ],
  ],
  ...wrongZones.map(([value, message]): Refused => [
    '/api/books',
    { title: 'T', content: value },
    [['content', notAnArray(value)], ...message],
  ]),
  [
    '/api/books',
    { title: 'T', content: [{ __component: 'blocks.quote' }] },
    [['content.0.text', 'content[0].text must be defined.']],
  ],
  [
    '/api/books',
    { title: 'T', cover: 9 },
    [['cover', '1 relation(s) of type plugin::upload.file associated with this entity do not exist']],
  ],
  [
    '/api/books',
    { title: 'T', seo: { title: 'S', image: 9 } },
    [['seo.image', '1 relation(s) of type plugin::upload.file associated with this entity do not exist']],
  ],
  [
    '/api/books',
    { title: 'T', authors: [8, 9] },
    [['authors', '2 relation(s) of type api::author.author associated with this entity do not exist']],
  ],
  [
    '/api/authors',
    { name: 'x', email: 'y', bio: [{ type: 'nonsense' }] },
    [
      ['name', 'name must be at least 2 characters'],
      ['email', 'email must be a valid email'],
      ['bio.0', 'Block node is of invalid type'],
    ],
  ],
  [
    '/api/books',
    { title: 5, isbn: 'x', pages: 0, format: 'x' },
    [
      ['title', 'title must be a `string` type, but the final value was: `5`.'],
      ['isbn', 'isbn must match the following: "/^[0-9-]{4,17}$/"'],
      ['pages', 'pages must be greater than or equal to 1'],
      ['format', 'format must be one of the following values: hardcover, paperback, audio, '],
    ],
  ],
];

/** Dates and times of a wrong form. */
const dates: readonly (readonly [string, object, string])[] = [
  ['/api/authors', { name: 'ok', born: 'x' }, 'born: Invalid format, expected yyyy-MM-dd'],
  ['/api/authors', { name: 'ok', born: '2020-02-31' }, 'born: Invalid date'],
  ['/api/events', { name: 'E', opens: '12:00' }, 'opens: Invalid time format, expected HH:mm:ss.SSS'],
  ['/api/events', { name: 'E', opens: 5 }, 'opens: Expected a string, got a number'],
  ['/api/books', { title: 'T', released: 'soon' }, 'released: Invalid format, expected a timestamp or an ISO date'],
  ['/api/books', { title: 'T', publishedAt: 'soon' }, 'publishedAt: Invalid format, expected a timestamp or an ISO date'],
  ['/api/membership-cards', { number: 1, since: 'x' }, 'since: Invalid format, expected a timestamp or an ISO date'],
];

/** Accepted values, and their form in the answer. */
const accepted: readonly (readonly [string, object, object])[] = [
  [
    '/api/authors',
    { name: 'Ada L', born: '1815-12-10T12:00:00Z' },
    { name: 'Ada L', slug: 'ada-l', born: '1815-12-10', bio: null },
  ],
  ['/api/authors', { name: '  ' }, { name: '  ', slug: 'author' }],
  ['/api/authors', { name: 'id', id: 77, createdAt: '2000-01-01', bogus: 1 }, { name: 'id' }],
  [
    '/api/books',
    { title: '', price: '1.5', pages: ' 1 2 ', format: null },
    { title: '', price: 1.5, pages: 12, format: null, locale: 'en' },
  ],
  ['/api/books', { title: 'D' }, { format: 'paperback', slug: null, released: null }],
  ['/api/books', { title: 'R', released: '2020-01-01T10:00:00+02:00' }, { released: '2020-01-01T08:00:00.000Z' }],
  [
    '/api/books',
    { title: 'R', released: 0, publishedAt: '2001-01-01' },
    { released: '1970-01-01T00:00:00.000Z', publishedAt: '2001-01-01T00:00:00.000Z' },
  ],
  ['/api/reviews', { rating: '4', verified: '1' }, { rating: 4, verified: true, text: null }],
  ['/api/reviews', { rating: 4 }, { verified: false }],
  [
    '/api/events',
    { name: 'E', opens: '09:30:00.5', extra: { a: [1, null] }, fee: '2.25' },
    { opens: '09:30:00.500', extra: { a: [1, null] }, fee: 2.25 },
  ],
  [
    '/api/membership-cards',
    { number: '9007199254740993', since: 1577872800000 },
    { number: '9007199254740993', since: '1577872800000' },
  ],
];

/** Drafts may lack required values and minimum lengths, and break no other rule. */
const drafts: readonly (readonly [object, string | null])[] = [
  [{}, null],
  [{ rating: null }, null],
  [{ text: 'x' }, null],
  [{ text: 'x'.repeat(401) }, 'text must be at most 400 characters'],
  [{ rating: 6 }, 'rating must be less than or equal to 5'],
  [{ book: 99 }, '1 relation(s) of type api::book.book associated with this entity do not exist'],
];

describe('validation', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: bookshopModels() });
  });
  after(() => serving.stop());

  for (const [path, data, problems] of refused)
    it(`${path} ${JSON.stringify(data).slice(0, 90)}`, async () => {
      const { status, body } = await serving.call('POST', path, { data });
      const errors = problems.map(([place, message]) => ({
        path: place.split('.'),
        message,
        name: 'ValidationError',
      }));
      const message = problems.length === 1 ? problems[0]?.[1] : `${String(problems.length)} errors occurred`;
      expect(body).to.deep.equal({ data: null, error: { status: 400, name: 'ValidationError', message, details: { errors } } });
      expect(status).to.equal(400);
    });

  for (const [path, data, message] of dates)
    it(`${path} ${JSON.stringify(data)}`, async () => {
      const { body } = await serving.call('POST', path, { data });
      const errors = [{ path: [message.split(':', 1)[0]], message, name: 'ValidationError' }];
      expect(body).to.deep.equal({ data: null, error: { status: 400, name: 'ValidationError', message, details: { errors } } });
    });

  for (const [path, data, attributes] of accepted)
    it(`${path} ${JSON.stringify(data)} is accepted`, async () => {
      const { status, body } = await serving.call('POST', path, { data });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.data.attributes).to.deep.include(attributes);
      const read = await serving.call('GET', `${path}/${String(body.data.id)}`);
      expect(read.body.data.attributes).to.deep.equal(body.data.attributes);
    });

  for (const [data, message] of drafts)
    it(`a draft of a review with ${JSON.stringify(data).slice(0, 60)}: ${message ?? 'accepted'}`, async () => {
      const created = await serving.call('POST', '/api/reviews', { data: { ...data, publishedAt: null } });
      expect(created.body.error?.message ?? null).to.equal(message);
      const { body } = await serving.call('POST', '/api/reviews', { data: { publishedAt: null } });
      const updated = await serving.call('PUT', `/api/reviews/${String(body.data.id)}`, { data });
      expect(updated.body.error?.message ?? null).to.equal(message);
    });

  it('lists must have their minimum number of items only if they are required or not empty', async () => {
    expect((await serving.call('POST', '/api/events', { data: { name: 'E', links: [] } })).status).to.equal(200);
    expect((await serving.call('PUT', '/api/storefront', { data: { headline: 'H', sections: [] } })).status).to.equal(200);
  });

  it('an update checks what is sent, and null clears', async () => {
    const { body } = await serving.call('POST', '/api/authors', { data: { name: 'Full', born: '2000-01-01' } });
    const put = (data: object) => serving.call('PUT', `/api/authors/${String(body.data.id)}`, { data });
    expect((await put({ name: null })).body.error.message).to.equal(
      'name must be a `string` type, but the final value was: `null`.',
    );
    expect((await put({ born: null })).body.data.attributes).to.deep.include({ name: 'Full', born: null });
    expect((await put({})).status).to.equal(200);
  });

  it('private values are written, but never shown or asked for', async () => {
    const { body } = await serving.call('POST', '/api/publishers', {
      data: { name: 'Silent', notes: 'hidden', address: { city: 'W' } },
    });
    expect(body.data.attributes).to.not.have.property('notes');
    expect((await serving.database.db.collection('houses').findOne({ name: 'Silent' }))?.['notes']).to.equal('hidden');
    for (const query of ['filters[notes]=hidden', 'sort=notes', 'fields=notes'])
      expect((await serving.call('GET', `/api/publishers?${query}`)).body.error.message).to.equal('Invalid parameter notes');
    expect((await serving.call('GET', '/api/books?filters[margin]=1')).body.error.message).to.equal('Invalid parameter margin');
    expect((await serving.call('GET', '/api/publishers?filters[imprints][notes]=x')).body.error.message).to.equal(
      'Invalid parameter notes',
    );
  });

  it('passwords are kept as hashes and never come back', async () => {
    const { body } = await serving.call('POST', '/api/readers', { data: { nickname: 'Nick', secret: 'topsecret' } });
    expect(body.data.attributes).to.not.have.property('secret');
    expect((await serving.database.db.collection('readers').findOne())?.['secret']).to.match(/^\$2[aby]\$10\$/);
    expect(
      (await serving.call('POST', '/api/readers', { data: { nickname: 'N2', secret: 'short' } })).body.error.message,
    ).to.equal('secret must be at least 6 characters');
    expect(
      (await serving.call('POST', '/api/readers', { data: { nickname: 'N2', secret: 'é'.repeat(37) } })).body.error.message,
    ).to.equal('secret must be at most 72 bytes');
  });

  const bodies: readonly (readonly [unknown, string])[] = [
    [{}, 'Missing "data" payload in the request body'],
    [{ name: 'x' }, 'Missing "data" payload in the request body'],
    [{ data: null }, 'Missing "data" payload in the request body'],
    [{ data: 'x' }, 'Missing "data" payload in the request body'],
    [{ data: [] }, 'this must be a `object` type, but the final value was: `null` (cast from the value `[]`).'],
  ];
  for (const [sent, message] of bodies)
    it(`the body ${JSON.stringify(sent)}`, async () => {
      const { status, body } = await serving.call('POST', '/api/authors', sent);
      expect([status, body.error.message]).to.deep.equal([400, message]);
    });
});
