import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Context, DatabaseFacts } from '#operate/doctor/context.js';
import { distanceOf, type Distance } from '#operate/doctor/address-fault.js';
import { isGuessable } from '#operate/doctor/check-secrets.js';
import { checkNode } from '#operate/doctor/check-versions.js';
import { type NamedFinding, runChecks } from '#operate/doctor/checks.js';
import { probeStorage } from '#operate/doctor/probes.js';
import { readDatabaseFacts } from '#operate/doctor/read-database-facts.js';
import { createConfig } from '#settings/create-config.js';
import { sectionsWith } from '#settings/sections.js';
import { declarations } from '#declarations.js';
import { readAddressFacts } from '#operate/doctor/address-facts.js';
import type { ServerFacts } from '#operate/raw/server-facts.js';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import type { Webhook } from '#api/webhooks/webhook.js';
import { databaseOf } from '../../support/mongo.js';
import { article, type FitService, startFit } from './fit-service.js';

type Expected = readonly [check: string, state: NamedFinding['state'], text: RegExp];

/** Facts about the server of the database, and what is found. */
const servers: Readonly<Record<string, readonly [facts: Partial<ServerFacts>, ...expected: Expected]>> = {
  'a standalone server': [{ topology: 'standalone' }, 'replica-set', 'problem', /no transactions/],
  'webhooks on one': [{ topology: 'standalone' }, 'webhooks', 'problem', /need a replica set/],
  'synced types on one': [{ topology: 'standalone' }, 'sync', 'problem', /article are synced, which needs a replica set/],
  'a sharded cluster': [{ topology: 'sharded cluster' }, 'replica-set', 'ok', /sharded/],
  'one member': [{ members: ['a:1'] }, 'replica-set', 'advice', /one member/],
  'two members': [{ members: ['a:1', 'b:1'] }, 'replica-set', 'advice', /two members with data/],
  'two members and an arbiter': [
    { members: ['a:1', 'b:1'], arbiters: ['c:1'] },
    'replica-set',
    'advice',
    /two members with data/,
  ],
  'three members': [{ members: ['a:1', 'b:1', 'c:1'] }, 'replica-set', 'ok', /can lose a member/],
  'four members': [{ members: ['a:1', 'b:1', 'c:1', 'd:1'] }, 'replica-set', 'advice', /even number/],
  'a member that is down': [{ unhealthy: ['b:1 (DOWN)'] }, 'replica-set', 'problem', /b:1 \(DOWN\)/],
  'slow elections': [
    { members: ['a:1', 'b:1', 'c:1'], slowElections: ['electionTimeoutMillis: 10000'] },
    'replica-set',
    'advice',
    /electionTimeoutMillis: 10000/,
  ],
  'slow following': [
    { members: ['a:1', 'b:1', 'c:1'], slowFollowing: ['oplogNetworkTimeoutBufferSeconds: 5'] },
    'replica-set',
    'advice',
    /no write is acknowledged until then: oplogNetworkTimeoutBufferSeconds: 5/,
  ],
  'slow following of one member': [{ members: ['a:1'], slowFollowing: ['x: 5'] }, 'replica-set', 'advice', /has one member/],
  'a user who may not run collMod': [{ mayModify: false }, 'sync', 'advice', /may not run collMod/],
  'no journal for majorities': [{ isJournaled: false }, 'replica-set', 'advice', /journal/],
  'a full disk': [{ disk: { total: 100e9, free: 1e9 } }, 'disk', 'problem', /1\.0 of 100\.0 GB left/],
  'a disk with little room': [{ disk: { total: 100e9, free: 8e9 } }, 'disk', 'advice', /8\.0 of 100\.0 GB left/],
  'a large disk with room': [{ disk: { total: 8000e9, free: 900e9 } }, 'disk', 'ok', /room/],
  'a clock that is 5 s behind': [{ ahead: 5_000 }, 'clock', 'advice', /5\.0 s behind that of the database/],
  'a clock that is a minute ahead': [{ ahead: -60_000 }, 'clock', 'problem', /60\.0 s ahead of that of the database/],
  'MongoDB 5': [{ version: '5.0.30' }, 'mongodb', 'problem', /5\.0\.30 is too old/],
  'MongoDB 6': [{ version: '6.0.27' }, 'mongodb', 'advice', /no fixes since 2025-07-31/],
  'MongoDB with the fault of zlib': [{ version: '8.0.16' }, 'mongodb', 'advice', /CVE-2025-14847/],
  'MongoDB without it': [{ version: '8.0.17', featureVersion: '8.0' }, 'mongodb', 'ok', /fixes/],
  'an upgrade that is not finished': [{ version: '8.0.17', featureVersion: '7.0' }, 'mongodb', 'advice', /in the form of 7\.0/],
  'a user with many rights': [{ roles: ['root'] }, 'connection', 'advice', /more rights than needed \(root\)/],
  'a short oplog': [{ oplog: { hours: 3, isFull: true } }, 'sync', 'advice', /reaches back 3\.0 hours/],
  'a short oplog that grows': [{ oplog: { hours: 3, isFull: false } }, 'sync', 'ok', /goes on/],
};

/** Addresses of the database, and what is found about the connection. */
const addresses: Readonly<Record<string, readonly Expected[]>> = {
  'mongodb://127.0.0.1/x': [['connection', 'advice', /no password/]],
  'mongodb://mongo/x': [
    ['connection', 'problem', /names no user/],
    ['connection', 'advice', /not encrypted/],
  ],
  'mongodb://ann:pa55@mongo/x': [['connection', 'advice', /not encrypted/]],
  'mongodb://ann:pa55@db.example.org/x': [['connection', 'problem', /not encrypted/]],
  'mongodb://ann:pa55@db.example.org/x?tls=true': [['connection', 'ok', /encrypted/]],
  'mongodb+srv://ann:pa55@db.example.org/x': [['connection', 'ok', /encrypted/]],
  'mongodb://ann:pa55@db.example.org/x?tls=true&tlsAllowInvalidCertificates=true': [['connection', 'problem', /certificate/]],
  'mongodb://ann:pa55@db.example.org/x?tls=true&tlsInsecure=true': [['connection', 'problem', /certificate/]],
  'mongodb://ann:pa55@db.example.org/x?tls=true&readConcernLevel=snapshot': [['replica-set', 'advice', /snapshot/]],
};

const distances: Readonly<Record<Distance, readonly string[]>> = {
  machine: ['localhost', '127.0.0.1', '::1', '/tmp/mongodb-27017.sock'],
  network: ['mongo', '10.1.2.3', '192.168.0.4', 'db.internal', 'mongo-0.mongo.default.svc', 'fd00::1'],
  anywhere: ['db.example.org', '8.8.8.8', '2606:4700::1111'],
};

describe('the checks of the doctor', () => {
  let fit: FitService;
  let facts: DatabaseFacts;
  before(async () => {
    fit = await startFit();
    const read = await readDatabaseFacts(databaseOf(fit.database), defaultModelSettings);
    const webhook = { isEnabled: true, disabledBecause: null, url: 'https://a.example.org', name: 'a' };
    facts = { ...read, webhooks: [{ ...emptyWebhook, ...webhook }] };
  });
  after(() => fit.stop());

  const contextOf = async (uri: string, server: Partial<ServerFacts>): Promise<Context> => {
    return {
      config: createConfig({ environment: 'production', database: { uri } }, sectionsWith(declarations)),
      problems: [],
      environment: 'production',
      now: new Date(),
      address: await readAddressFacts(uri),
      unreached: null,
      database: {
        ...facts,
        ...syncedType(facts),
        server: { ...facts.server, isJournaled: true, slowElections: [], slowFollowing: [], ...server },
      },
      mail: null,
      storage: null,
      backups: null,
      uploads: null,
      readable: [],
      ofFeatures: [],
    };
  };

  const expectFound = (found: readonly NamedFinding[], [check, state, text]: Expected): void => {
    const own = found.filter(({ name }) => name === check);
    expect(
      own.filter((finding) => finding.state === state && text.test(finding.text)),
      JSON.stringify(own),
    ).to.have.length(1);
  };

  for (const [name, [changed, ...expected]] of Object.entries(servers))
    it(`find ${name}`, async () => {
      expectFound(runChecks(await contextOf('mongodb://ann:pa55@db.example.org/x?tls=true', changed)), expected);
    });

  for (const [uri, expected] of Object.entries(addresses))
    it(`say what is wrong with ${uri}`, async () => {
      const found = runChecks(await contextOf(uri, { roles: [], members: ['a:1', 'b:1', 'c:1'] }));
      for (const one of expected) expectFound(found, one);
      expect(JSON.stringify(found)).not.to.include('pa55');
    });

  for (const [distance, hosts] of Object.entries(distances))
    for (const host of hosts)
      it(`take ${host} for a host of: ${distance}`, () => {
        expect(distanceOf(host)).to.equal(distance);
      });

  it('say that the disk of files could not be looked at', async () => {
    const context = await contextOf('mongodb://localhost/x', {});
    const uploads = { path: '/mnt/files', isWritable: true, room: { failure: 'ESTALE: stale file handle' } };
    expectFound(runChecks({ ...context, uploads }), ['disk', 'unknown', /the disk of \/mnt\/files is not checked: ESTALE/]);
  });

  it('say what a storage that does not answer may keep', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const endpoint = `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}`;
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const providerOptions = { bucket: 'media', region: 'x', endpoint, credentials };
    const config = createConfig({ plugins: { upload: { config: { provider: 's3', providerOptions } } } });
    const found = await probeStorage(config);
    silent.closeAllConnections();
    silent.close();
    expect(JSON.stringify(found)).to.match(/no answer within 6 s; the object mangrove-doctor-[-\w]+ may be left in the bucket/);
  });

  const random = 'J0vT4kqYB1cUe8WmZs2xLr7PaNd5HgQi';
  for (const [secret, isWeak] of Object.entries({
    [random]: false,
    '9f86d081884c7d659a2feaa0c55ad015': false,
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: true,
    abcdefghijklmnopqrstuvwxyz012345: true,
    '01234567890123456789012345678901': true,
    toBeModified1toBeModified2xyz987: true,
    'your-secret-of-32-characters-here': true,
    [random.slice(0, 10).repeat(4)]: true,
  }))
    it(`${isWeak ? 'refuse' : 'accept'} ${secret} as a secret`, () => {
      expect(isGuessable(secret)).to.equal(isWeak);
    });

  for (const [version, day, found] of [
    ['20.19.0', '2026-04-01', null],
    ['20.19.0', '2026-06-01', 'advice'],
    ['23.1.0', '2026-04-01', 'advice'],
    ['99.0.0', '2026-04-01', 'advice'],
    ['24.1.0', '2026-04-01', null],
  ] as const)
    it(`judge Node ${version} at ${day}`, async () => {
      const context = await contextOf('mongodb://localhost/x', {});
      const result = [checkNode({ ...context, now: new Date(day) }, version)].flat();
      expect(result.map((finding) => finding?.state ?? null)).to.deep.equal([found]);
    });

  it('read the facts of a server', () => {
    expect(facts.server).to.include({ topology: 'replica set' });
    expect(facts.server.version).to.match(/^\d+\.\d+\.\d+/);
    expect(facts.server.members).to.have.length(1);
    expect(facts.server.slowFollowing).to.be.an('array');
    expect(facts.server.mayModify).to.equal(null);
    expect(Math.abs(facts.server.ahead)).to.be.lessThan(2_000);
    expect(facts.server.disk?.total).to.be.greaterThan(0);
    expect(facts.server.oplog?.hours).to.be.a('number');
    expect(facts.missingIndexes).to.deep.equal([]);
    expect(facts.instances).to.have.length(1);
  });
});

const emptyWebhook: Omit<Webhook, 'name' | 'url' | 'isEnabled' | 'disabledBecause'> = {
  ...{ id: 1, headers: {}, events: [], types: [], format: 'standard', secrets: [], role: null, populate: null, fields: null },
};

/** Returns a build in which the type is synced. */
function syncedType({ build }: DatabaseFacts): Pick<DatabaseFacts, 'build'> {
  const types = new Map(
    [...build.registry.types].map(([uid, type]) => [
      uid,
      uid === article.uid ? { ...type, options: new Map([['sync', true]]) } : type,
    ]),
  );
  return { build: { ...build, registry: { ...build.registry, types } } };
}
