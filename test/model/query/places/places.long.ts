import { expect } from 'chai';
import fc from 'fast-check';
import { distanceOf, isInside, outlineOf } from '#model/query/places/geodesy.js';
import { adminToken, serveAccounts, type ServingAccounts } from '../../../content/rights/serve-accounts.js';
import { commandsDuring, explain } from '../../../support/explain.js';
import { roundsOf } from '../../../support/rounds.js';
import { collectionType } from '../../../support/collection-type.js';
import { Draw } from '../../../content/rights/no-leak/draw.js';

interface Place {
  readonly lng: number;
  readonly lat: number;
}

interface Cafe {
  readonly _id: number;
  readonly name: string;
  readonly open: boolean;
  readonly at: { readonly type: 'Point'; readonly coordinates: readonly [number, number] } | null;
}

const draw = new Draw(5);
const round = (value: number): number => Math.round(value * 1e4) / 1e4;

/** Many are around Paris, some at the same place, some at the antimeridian, and some have none. */
const cafes: readonly Cafe[] = Array.from({ length: 400 }, (_, n) => {
  const [lng, lat] =
    n % 5 === 0
      ? [round(179 + draw.whole(2_000) / 1_000), round(draw.whole(60) - 30)]
      : n % 5 === 1
        ? [2 + draw.whole(3) / 10, 48 + draw.whole(3) / 10]
        : [round(2 + draw.whole(2_000) / 1_000), round(48 + draw.whole(2_000) / 1_000)];
  const coordinates = [lng > 180 ? round(lng - 360) : lng, lat] as const;
  const at = n % 17 === 3 ? null : ({ type: 'Point', coordinates } as const);
  return {
    _id: 1_000 - n,
    name: `c${String(draw.whole(50))}`,
    open: n % 3 > 0,
    at,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
});

const models = [
  collectionType('cafe', {
    name: { type: 'string' },
    open: { type: 'boolean' },
    at: { type: 'point' },
    home: { type: 'point', private: true },
    spot: { type: 'component', component: 'place.spot', repeatable: false },
    spots: { type: 'component', component: 'place.spot', repeatable: true },
  }),
  { uid: 'place.spot', collectionName: 'spots', info: { displayName: 'spot' }, attributes: { at: { type: 'point' } } },
  collectionType('pin', { name: { type: 'string' }, at: { type: 'point' } }, { pluginOptions: { sync: { enabled: true } } }),
  // with names that types of filters could have
  ...['point', 'point-near', 'point-filter'].map((name) => collectionType(name, { name: { type: 'string' } })),
  collectionType('guide', { cafe: { type: 'relation', relation: 'manyToOne', target: 'api::cafe.cafe' } }),
];
const placeOf = ({ at }: Cafe): Place | null => at && { lng: at.coordinates[0], lat: at.coordinates[1] };

describe('places', () => {
  let server: ServingAccounts;
  let token: string;
  before(async () => {
    server = await serveAccounts({ models, documents: { cafes } });
    const all = ['find', 'findOne', 'create', 'update', 'aggregate'];
    const actions = ['cafe', 'guide', 'pin'].flatMap((name) => all.map((action) => `api::${name}.${name}.${action}`));
    await server.admin('PUT', '/roles/2', { actions });
    await server.admin('PUT', '/roles/2/rules', { rows: { 'api::cafe.cafe': { open: { $eq: true } } } });
    token = (await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey;
  });
  after(() => server.stop());

  const get = (path: string, isPublic = false) => server.as(isPublic ? null : token, 'GET', path);
  const ok = async (path: string, isPublic = false) => {
    const { status, body } = await get(path, isPublic);
    expect(status, `${path} ${JSON.stringify(body)}`).to.equal(200);
    return body;
  };
  const idsOf = ({ data }: { data: readonly { id: number }[] }): number[] => data.map(({ id }) => id);
  const seenBy = (isPublic: boolean): readonly Cafe[] => cafes.filter(({ open }) => open || !isPublic);

  const center: fc.Arbitrary<Place> = fc.oneof(
    fc.record({
      lng: fc.integer({ min: 20, max: 40 }).map((n) => n / 10),
      lat: fc.integer({ min: 480, max: 500 }).map((n) => n / 10),
    }),
    fc.record({ lng: fc.constantFrom(180, -180, 179.5, -179.5, 0), lat: fc.integer({ min: -40, max: 40 }) }),
  );
  const near = fc.record({
    center,
    max: fc.option(fc.integer({ min: 1, max: 200_000 })),
    min: fc.option(fc.integer({ min: 0, max: 50_000 })),
    isPublic: fc.boolean(),
    page: fc.integer({ min: 1, max: 5 }),
  });
  type Near = typeof near extends fc.Arbitrary<infer T> ? T : never;
  const spellNear = ({ center: { lng, lat }, max, min }: Near): string =>
    [
      `filters[at][$near][lng]=${String(lng)}&filters[at][$near][lat]=${String(lat)}`,
      ...(max === null ? [] : [`filters[at][$near][maxDistance]=${String(max)}`]),
      ...(min === null ? [] : [`filters[at][$near][minDistance]=${String(min)}`]),
    ].join('&');
  const nearest = ({ center: from, max, min, isPublic }: Near): readonly { id: number; distance: number }[] =>
    seenBy(isPublic)
      .flatMap((cafe) => {
        const place = placeOf(cafe);
        return place === null ? [] : [{ id: cafe._id, distance: distanceOf(from, place) }];
      })
      .filter(({ distance }) => distance <= (max ?? Infinity) && distance >= (min ?? 0))
      .sort((a, b) => (Math.abs(a.distance - b.distance) < 1e-6 ? a.id - b.id : a.distance - b.distance));

  /** Entries whose distances differ by rounding alone may have another order. Those of the same place are in the order of their ids. */
  function expectNearest(found: readonly number[], expected: readonly { id: number; distance: number }[], from: Place): void {
    const byId = new Map(cafes.map((cafe) => [cafe._id, placeOf(cafe)]));
    const places = found.map((id) => byId.get(id) ?? from);
    expect(new Set(found).size).to.equal(expected.length);
    for (const [index, place] of places.entries()) {
      expect(distanceOf(from, place)).to.be.closeTo(expected[index]?.distance ?? NaN, 0.001);
      const before = places[index - 1];
      if (before?.lng === place.lng && before.lat === place.lat) expect(found[index - 1]).to.be.below(found[index] ?? 0);
    }
  }

  it('$near: the nearest come first, with distances, exact totals and pages', () =>
    fc.assert(
      fc.asyncProperty(near, async (asked) => {
        const expected = nearest(asked);
        const paging = `pagination[page]=${String(asked.page)}&pagination[pageSize]=30`;
        const body = await ok(`/api/cafes?${spellNear(asked)}&${paging}`, asked.isPublic);
        const page = expected.slice(30 * (asked.page - 1), 30 * asked.page);
        expectNearest(idsOf(body), page, asked.center);
        expect(body.meta.pagination.total).to.equal(expected.length);
        for (const [index, { meta }] of body.data.entries())
          expect(meta.distance).to.be.closeTo(page[index]?.distance ?? NaN, 0.01);
        const count = await ok(`/api/cafes/count?${spellNear(asked)}`, asked.isPublic);
        expect(count.data.count).to.equal(expected.length);
      }),
      { numRuns: roundsOf(30, 80) },
    ));

  const nearParis = 'filters[at][$near][lng]=2.35&filters[at][$near][lat]=48.85';

  it('$near: flat answers have the distances', async () => {
    const [enveloped, flat] = [await ok(`/api/cafes?${nearParis}`), await ok(`/api/cafes?${nearParis}&format=flat`)];
    const distances = enveloped.data.map(({ id, meta }: { id: number; meta: object }) => [id, meta]);
    expect(distances[0][1].distance).to.be.a('number');
    expect(flat.data.map(({ id, meta }: { id: number; meta: object }) => [id, meta])).to.deep.equal(distances);
    expect((await ok('/api/cafes?format=flat')).data[0]).not.to.have.property('meta');
  });

  it('$near: the OpenAPI document has the distances of types with a point', async () => {
    const { components } = await ok('/api/openapi.json');
    const metaOf = (name: string): readonly string[] => Object.keys(components.schemas[name].properties.meta.properties);
    expect(metaOf('Cafe')).to.include('distance');
    expect(metaOf('Guide')).not.to.include('distance');
  });

  it('$near: a search keeps the distances, the order and the total', async () => {
    const all = await ok(`/api/cafes?${nearParis}&pagination[pageSize]=100`);
    const expected = all.data.filter(({ attributes }: { attributes: Cafe }) => attributes.name.includes('c1'));
    const { data, meta } = await ok(`/api/cafes?${nearParis}&_q=c1&pagination[pageSize]=100`);
    const isPart = (one: { id: number }): boolean => expected.some(({ id }: { id: number }) => id === one.id);
    expect(data.filter(isPart).map(({ id, meta }: { id: number; meta: object }) => [id, meta])).to.deep.equal(
      expected.map(({ id, meta }: { id: number; meta: object }) => [id, meta]),
    );
    const matching = cafes.filter((cafe) => cafe.at !== null && (cafe.name.includes('c1') || String(cafe._id).includes('c1')));
    expect(meta.pagination.total).to.equal(matching.length);
  });

  it('$within: corners of polygons count as conditions', async () => {
    const corners = Array.from({ length: 100 }, (_, n) => {
      const angle = (n * Math.PI) / 50;
      return `${String(2 + Math.cos(angle))},${String(48 + Math.sin(angle))}`;
    }).join(';');
    const filter = (count: number): string =>
      Array.from({ length: count }, (_, n) => `filters[$or][${String(n)}][at][$within][polygon]=${corners}`).join('&');
    expect((await get(`/api/cafes?${filter(2)}`)).status).to.equal(200);
    const { status, body } = await get(`/api/cafes?${filter(2)}&filters[open]=true`);
    expect([status, body.error?.message]).to.deep.equal([400, 'Invalid parameter filters: more than 200 conditions']);
  });

  it('$near: cursors lead through the whole list and back', () =>
    fc.assert(
      fc.asyncProperty(near, async (asked) => {
        const expected = nearest(asked);
        const found: number[] = [];
        let [next, last]: [string, string | null] = ['pagination[cursors]=true', null];
        for (;;) {
          const body = await ok(`/api/cafes?${spellNear(asked)}&pagination[limit]=37&${next}`, asked.isPublic);
          found.push(...idsOf(body));
          last = body.meta.pagination.cursors.start;
          if (body.meta.pagination.hasNext === false) break;
          next = `pagination[after]=${encodeURIComponent(String(body.meta.pagination.cursors.end))}`;
        }
        expectNearest(found, expected, asked.center);
        if (last === null || expected.length <= 37) return;
        const before = `pagination[limit]=37&pagination[before]=${encodeURIComponent(last)}`;
        const start = Math.floor((expected.length - 1) / 37) * 37;
        const body = await ok(`/api/cafes?${spellNear(asked)}&${before}`, asked.isPublic);
        expectNearest(idsOf(body), expected.slice(start - 37, start), asked.center);
      }),
      { numRuns: roundsOf(8, 15) },
    ));

  it('$near: another sort keeps the distances', async () => {
    const asked = { center: { lng: 2.5, lat: 48.5 }, max: 50_000, min: null, isPublic: false, page: 1 };
    const body = await ok(`/api/cafes?${spellNear(asked)}&sort=id&pagination[pageSize]=100`);
    const expected = [...nearest(asked)].sort((a, b) => a.id - b.id);
    expect(idsOf(body)).to.deep.equal(expected.slice(0, 100).map(({ id }) => id));
    expect(body.data[0].meta.distance).to.be.closeTo(expected[0]?.distance ?? NaN, 0.01);
  });

  const shape = fc.oneof(
    fc.record({ kind: fc.constant('circle' as const), center, radius: fc.integer({ min: 0, max: 300_000 }) }),
    fc
      .tuple(center, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 20 }))
      .map(([{ lng, lat }, width, height]) => ({ kind: 'box' as const, lng, lat, width, height })),
  );
  it('$within: circles and boxes, across the antimeridian too, denied or not', () =>
    fc.assert(
      fc.asyncProperty(shape, fc.boolean(), fc.boolean(), async (asked, isDenied, isPublic) => {
        const name = isDenied ? 'filters[$not][at][$within]' : 'filters[$or][0][at][$within]';
        let written: string;
        let isInside: (place: Place) => boolean;
        if (asked.kind === 'circle') {
          const { lng, lat } = asked.center;
          written = `${name}[circle][lng]=${String(lng)}&${name}[circle][lat]=${String(lat)}&${name}[circle][radius]=${String(asked.radius)}`;
          isInside = (place) => distanceOf(place, asked.center) <= asked.radius;
        } else {
          const [west, east] = [
            asked.lng,
            asked.lng + asked.width > 180 ? asked.lng + asked.width - 360 : asked.lng + asked.width,
          ];
          const [south, north] = [asked.lat, asked.lat + asked.height];
          written = `${name}[box]=${[west, south, east, north].join()}`;
          isInside = ({ lng, lat }) =>
            lat >= south && lat <= north && (west <= east ? lng >= west && lng <= east : lng >= west || lng <= east);
        }
        const expected = seenBy(isPublic).filter((cafe) => {
          const place = placeOf(cafe);
          return place !== null && isInside(place) !== isDenied;
        });
        const body = await ok(`/api/cafes?${written}&sort=id&pagination[pageSize]=1000`, isPublic);
        expect(idsOf(body)).to.deep.equal(expected.map(({ _id }) => _id).sort((a, b) => a - b));
      }),
      { numRuns: roundsOf(60, 150) },
    ));

  it('$within: polygons have geodesic edges, in the database and in memory', async () => {
    const polygon = '-60,50;60,50;0,40';
    const post = async (lat: number): Promise<number> =>
      (await server.as(token, 'POST', '/api/cafes', { data: { name: 'north', at: { lng: 0, lat } } })).body.data.id;
    const [inside, outside] = [await post(65), await post(68)]; // the shortest line between the upper corners leads over 67 degrees
    const found = idsOf(await ok(`/api/cafes?filters[at][$within][polygon]=${polygon}&filters[name]=north`));
    expect(found).to.include(inside).and.not.include(outside);
    const rule = { at: { $within: { polygon } } };
    const rows = { 'api::cafe.cafe': { $or: [{ open: { $eq: true } }, rule] } };
    expect((await server.admin('PUT', '/roles/2/rules', { rows })).status).to.equal(200);
    const create = (lat: number) => server.as(null, 'POST', '/api/cafes', { data: { name: 'rule', at: { lng: 0, lat } } });
    expect([(await create(65)).status, (await create(68)).status]).to.deep.equal([200, 403]);
    await server.admin('PUT', '/roles/2/rules', { rows: { 'api::cafe.cafe': { open: { $eq: true } } } });
    for (const id of [inside, outside]) await server.as(token, 'DELETE', `/api/cafes/${String(id)}`);
  });

  it('$within: a corner in the middle of an edge changes nothing', async () => {
    const within = async (polygon: string) =>
      idsOf(await ok(`/api/cafes?filters[at][$within][polygon]=${polygon}&sort=id&pagination[pageSize]=1000`));
    expect(await within('0,-20;0,5;0,20;60,20;60,-20')).to.deep.equal(await within('0,-20;0,20;60,20;60,-20'));
  });

  it('$within: polygons are those of a naive calculation, or refused', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 })), { maxLength: 7 }),
        async (points) => {
          const corners = points.map(([x, y]) => ({ lng: round(1.9137 + x / 20.17), lat: round(47.9071 + y / 20.31) }));
          const polygon = corners.map(({ lng, lat }) => `${String(lng)},${String(lat)}`).join(';');
          const { status, body } = await get(
            `/api/cafes?filters[at][$within][polygon]=${polygon}&sort=id&pagination[pageSize]=1000`,
          );
          const outline = outlineOf(corners);
          if (corners.length < 3 || typeof outline === 'string') expect(status).to.equal(400);
          else {
            const inside = cafes.filter((cafe) => isInside(outline, placeOf(cafe) ?? { lng: 0, lat: -80 }));
            expect(status, JSON.stringify(body)).to.equal(200);
            expect(idsOf(body)).to.deep.equal(inside.map(({ _id }) => _id).sort((a, b) => a - b));
          }
        },
      ),
      { numRuns: roundsOf(100, 300) },
    ));

  it('a page and its cursor examine about as many entries as they have', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({
      ...{ _id: 10_000 + n, name: 'many', open: true },
      at: { type: 'Point', coordinates: [20 + (n % 100) / 50, 20 + Math.floor(n / 100) / 50] },
    }));
    await server.database.db.collection<{ _id: number }>('cafes').insertMany(many);
    await server.settled();
    const client = server.server.backend?.store.database.client;
    const examined = async (path: string) => {
      const { result, commands } = await commandsDuring(client, ['aggregate'], () => ok(path));
      const works = await Promise.all(commands.map((command) => explain(server.database.db, command)));
      return { body: result, documents: works.map(({ documentsExamined }) => documentsExamined) };
    };
    const path =
      '/api/cafes?filters[at][$near][lng]=20.501&filters[at][$near][lat]=20.502&pagination[limit]=20&pagination[withCount]=false';
    const first = await examined(`${path}&pagination[cursors]=true`);
    expect(first.documents.length).to.equal(1);
    expect(first.documents[0]).to.be.below(400);
    const cursor = encodeURIComponent(first.body.meta.pagination.cursors.end);
    const { documents } = await examined(`${path}&pagination[after]=${cursor}`);
    expect(documents[0]).to.be.below(400);
    await server.database.db.collection('cafes').deleteMany({ name: 'many' });
    await server.settled();
  });

  it('the distances are the same without an index', async () => {
    const path = '/api/cafes?filters[at][$near][lng]=2.51&filters[at][$near][lat]=48.52&filters[at][$near][maxDistance]=90000';
    const indexed = await ok(path);
    const { body: gone } = await server.as(token, 'POST', '/api/cafes', {
      data: { name: 'gone', at: { lng: 2.51, lat: 48.52 } },
    });
    const paged = await ok(`${path}&pagination[cursors]=true&pagination[limit]=1`);
    expect(idsOf(paged)).to.deep.equal([gone.data.id]);
    await server.as(token, 'DELETE', `/api/cafes/${String(gone.data.id)}`);
    await server.database.db.collection('cafes').dropIndex('mangrove_at_2dsphere');
    const after = encodeURIComponent(String(paged.meta.pagination.cursors.end));
    expect(idsOf(await ok(`${path}&pagination[after]=${after}&pagination[limit]=25`))).to.deep.equal(idsOf(indexed));
    const body = await ok(path);
    expect(idsOf(body)).to.deep.equal(idsOf(indexed));
    expect(body.data[0].meta.distance).to.be.closeTo(indexed.data[0].meta.distance, 0.001);
    await server.database.db
      .collection('cafes')
      .createIndex({ at: '2dsphere' }, { name: 'mangrove_at_2dsphere', partialFilterExpression: { 'at.type': 'Point' } });
  });

  const refused: readonly (readonly [string, string])[] = [
    ['filters[at][$near][lng]=200&filters[at][$near][lat]=1', '$near: expected lng (-180 to 180) and lat (-90 to 90)'],
    ['filters[at][$near][lng]=2', '$near: expected lng'],
    ['filters[at][$near]=2', '$near: expected lng'],
    ['filters[at][$near][lng]=2&filters[at][$near][lat]=1&filters[at][$near][maxDistance]=x', '$near: maxDistance'],
    ['filters[at][$near][lng]=2&filters[at][$near][lat]=1&filters[at][$near][x]=1', '$near: x is not one of'],
    ['filters[$or][0][at][$near][lng]=2&filters[$or][0][at][$near][lat]=1', '$near: it is a condition'],
    ['filters[$not][at][$near][lng]=2&filters[$not][at][$near][lat]=1', '$near: it is a condition'],
    ['filters[at][$not][$near][lng]=2&filters[at][$not][$near][lat]=1', '$near: it is a condition'],
    ['filters[spots][at][$near][lng]=2&filters[spots][at][$near][lat]=1', '$near: it is a condition'],
    ['filters[name][$near][lng]=2&filters[name][$near][lat]=1', '$near: it is a condition'],
    [
      'filters[at][$near][lng]=2&filters[at][$near][lat]=1&filters[spot][at][$near][lng]=2&filters[spot][at][$near][lat]=1',
      '$near: a query can have it only once',
    ],
    ['filters[at][$within][circle][lng]=2', '$within: circle must have'],
    [
      'filters[at][$within][circle][lng]=2&filters[at][$within][circle][lat]=2&filters[at][$within][circle][radius]=-1',
      '$within: circle',
    ],
    ['filters[at][$within][box]=1,2,3', '$within: box must be'],
    ['filters[at][$within][box]=1,5,3,2', '$within: south'],
    ['filters[at][$within][polygon]=0,0;1,1', '$within: polygon must have 3 to 100'],
    ['filters[at][$within][polygon]=0,0;10,10;10,0;0,10', '$within: the polygon cannot be used: its edges must not meet'],
    ['filters[at][$within][polygon]=0,0;10,0;10,0;0,10', '$within: the polygon cannot be used'],
    ['filters[at][$within][polygon]=0,0;120,0;-120,0', '$within: the polygon cannot be used'],
    ['filters[at][$within][disc]=1', '$within: expected one of circle, box, polygon'],
    ['filters[at][$within]=1', '$within: expected one of'],
    ['filters[at][$eq]=1', '$eq'],
    ['filters[at]=1', '$eq'],
    ['filters[name][$within][box]=1,2,3,4', '$within'],
    ['sort=at', 'at'],
    ['facets=at', 'facets'],
  ];
  for (const [query, message] of refused)
    it(`${query} is refused`, async () => {
      const { status, body } = await get(`/api/cafes?${query}`);
      expect(status, JSON.stringify(body)).to.equal(400);
      expect(body.error.message).to.include(`Invalid parameter ${message}`);
    });

  it('a hidden point is the same as none, in filters, distances and orders', async () => {
    for (const query of [
      'filters[NAME][$near][lng]=2&filters[NAME][$near][lat]=1',
      'filters[NAME][$within][box]=1,2,3,4',
      'sort=NAME',
      'filters[$or][0][NAME][$near][lng]=2',
      'filters[NAME][$near][lng]=200',
    ]) {
      const [hidden, unknown] = await Promise.all(
        ['home', 'none'].map((name) => get(`/api/cafes?${query.replaceAll('NAME', name)}`)),
      );
      expect(hidden?.status).to.equal(400);
      expect(JSON.stringify(hidden?.body).replaceAll('home', 'none')).to.equal(JSON.stringify(unknown?.body));
    }
  });

  it('groups, relations and row rules refuse $near', async () => {
    const asked = '[at][$near][lng]=2&filters[cafe][at][$near][lat]=1';
    expect((await get(`/api/guides?filters[cafe]${asked}`)).body.error.message).to.include('$near');
    const rows = { 'api::cafe.cafe': { at: { $near: { lng: 1, lat: 1 } } } };
    expect((await server.admin('PUT', '/roles/2/rules', { rows })).status).to.equal(400);
    expect((await get('/api/cafes/aggregate?groupBy=at')).status).to.equal(400);
  });

  const values: readonly (readonly [unknown, number])[] = [
    [{ lng: 2.35, lat: 48.85 }, 200],
    [{ lng: -180, lat: 90 }, 200],
    [null, 200],
    [{ lng: 181, lat: 0 }, 400],
    [{ lng: 0, lat: -91 }, 400],
    [{ lng: '1', lat: 0 }, 400],
    [{ lng: 1 }, 400],
    [{ lng: 1, lat: 1, alt: 1 }, 400],
    [[1, 1], 400],
    ['1,1', 400],
    [{ type: 'Point', coordinates: [1, 1] }, 400],
  ];
  for (const [at, status] of values)
    it(`${JSON.stringify(at)} is ${status === 200 ? 'stored' : 'refused'}`, async () => {
      const answer = await server.as(token, 'POST', '/api/cafes', { data: { name: 'x', at, spot: { at } } });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
      if (status !== 200) return;
      const { id, attributes } = answer.body.data;
      expect(attributes.at).to.deep.equal(at);
      expect((await ok(`/api/cafes/${String(id)}?populate=spot`)).data.attributes.spot.at).to.deep.equal(at);
      await server.as(token, 'DELETE', `/api/cafes/${String(id)}`);
    });

  it('sync answers points, with $within but without $near', async () => {
    const made = await server.as(token, 'POST', '/api/pins', { data: { name: 'pin', at: { lng: 1.5, lat: 2.5 } } });
    expect(made.status).to.equal(200);
    const inside = await get('/api/sync/pins?filters[at][$within][box]=1,2,2,3');
    expect([inside.status, JSON.stringify(inside.body)].join())
      .to.include('200')
      .and.include('"at":{"lng":1.5,"lat":2.5}');
    const outside = await get('/api/sync/pins?filters[at][$within][box]=3,2,4,3');
    expect(JSON.stringify(outside.body)).to.not.include('"at"');
    const near = await get('/api/sync/pins?filters[at][$near][lng]=1&filters[at][$near][lat]=2');
    expect([near.status, near.body.error?.message]).to.deep.equal([
      400,
      'Invalid parameter $near: entries cannot be synced by their distance',
    ]);
  });

  it('GraphQL has both, and OpenAPI describes them', async () => {
    const run = async (query: string) => (await server.as(token, 'POST', '/graphql', { query })).body;
    const { data } = await run(`{ cafes(filters: { at: {
      near: { lng: 2.5, lat: 48.5, maxDistance: 20000 }, within: { box: [2.4, 48.4, 2.6, 48.6] }
    } }) { data { id attributes { at } } } }`);
    const expected = nearest({ center: { lng: 2.5, lat: 48.5 }, max: 20_000, min: null, isPublic: false, page: 1 });
    const inBox = expected.filter(({ id }) => {
      const place = cafes.filter(({ _id }) => _id === id).map(placeOf)[0];
      return (
        place !== undefined && place !== null && place.lng >= 2.4 && place.lng <= 2.6 && place.lat >= 48.4 && place.lat <= 48.6
      );
    });
    expect(data.cafes.data.map(({ id }: { id: string }) => Number(id))).to.have.members(inBox.map(({ id }) => id));
    expect(inBox.length).to.be.within(1, 25);
    const fieldsOf = (name: string) => `${name}: __type(name: "${name}") { inputFields { name } }`;
    const types = (
      await run(`{ ${['PointInput', 'PointNearInput', 'PointFilterInput', 'Point_Input'].map(fieldsOf).join(' ')} }`)
    ).data;
    const names = Object.entries<{ inputFields: { name: string }[] }>(types).map(([type, { inputFields }]) => [
      type,
      inputFields[0]?.name,
    ]);
    expect(Object.fromEntries(names)).to.deep.equal({
      ...{ PointInput: 'name', PointNearInput: 'name', PointFilterInput: 'name', Point_Input: 'lng' },
    });
    const { body } = await server.as(adminToken, 'GET', '/openapi.json');
    if (body?.components !== undefined) expect(JSON.stringify(body.components.schemas)).to.include('PointFilter');
  });
});
