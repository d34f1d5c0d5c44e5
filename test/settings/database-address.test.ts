import { expect } from 'chai';
import { completeConfig } from '#settings/apply-variables.js';
import { readAddress } from '#settings/database-address.js';
import { sectionNames } from '#settings/sections.js';
import type { WrittenSections } from '#settings/translate-strapi.js';
import { connectDatabase } from '#store/send/connection.js';
import { createConfig } from '#settings/create-config.js';

/** The configuration with this value of MONGODB_URI. */
const configOf = (uri: string) => {
  const written = Object.fromEntries(sectionNames.map((name) => [name, { file: `config/${name}`, value: {} }]));
  const place = {
    directory: '/',
    environment: 'production',
    variables: { MONGODB_URI: uri },
    warnings: [],
    isStrapiProject: true,
  };
  return completeConfig(written as WrittenSections, place); // one for each name
};

const escaped = 'must be escaped: write @ as %40';

describe('the address of the database', () => {
  const cases: readonly (readonly [address: string, problem: string])[] = [
    ['mongodb+srv://user:S3cret@a.b.test:27017/db', 'has a port: remove the port, since DNS names it'],
    ['mongodb+srv://a.b.test:/db', 'has a port'],
    ['mongodb+srv://a.b.test,c.d.test/db', 'has several hosts'],
    ['mongodb://user:S3@cret@host/db', escaped],
    ['mongodb://user:S3/cret@host/db', escaped],
    ['mongodb://user:27017/S3cret@host:27017/db', escaped],
    ['mongodb://user:12@S3/cret@host/db', escaped],
    ['mongodb://user:S3?cret@host/db', escaped],
    ['mongodb://user:S3#cret@host/db', escaped],
    ['mongodb://user:S3:cret@host/db', escaped],
    ['mongodb://user:S3%cret@host/db', escaped],
    ['mongodb://user:S3%ffcret@host/db', escaped],
    ['mongodb://us@er:S3cret@host/db', escaped],
    ['mongodb+srv://user:S3@cret@a.b.test/db', escaped],
    ['mongodb://user:S3[cret]@host/db', escaped],
    ['"mongodb://user:S3cret@host/db"', 'has quotes around the address'],
    ["'mongodb://host/db'", 'has quotes around the address'],
    ['mongodb://user:S3cret@host/db"', 'has quotes around the address'],
    ['MONGODB_URI=mongodb://user:S3cret@host/db', 'must be the address alone'],
    ['<mongodb://user:S3cret@host/db>', 'must be the address alone'],
    ['mongodb://user:<password>@host/db', 'still has a placeholder'],
    ['mongodb://:S3cret@host/db', 'has no user name'],
    ['mongodb://user:S3cret@/db', 'names no host'],
    ['mongodb://a,,b/db', 'names no host'],
    ['mongodb://user:S3cret', 'has a port that is no number'],
    ['mongodb://host:99999/db', 'has a port that is no number'],
    ['mongodb://ho st/db', 'has a space in the name of a host'],
    ['postgres://user:S3cret@host/db', 'must be an address that begins with mongodb://'],
    ['host:27017', 'must be an address that begins with mongodb://'],
  ];
  for (const [address, problem] of cases)
    it(`refuses ${JSON.stringify(address)}`, () => {
      const read = (): unknown => configOf(address);
      expect(read)
        .to.throw('uri ')
        .with.property('message')
        .that.includes(problem)
        .and.not.matches(/S3|cret\b/);
      expect(read).to.throw('(environment variable MONGODB_URI)');
    });

  const right: readonly string[] = [
    'mongodb://host',
    'mongodb://host/',
    'mongodb://a:1,b:2,[::1]:3/db?replicaSet=rs0&authSource=admin',
    'mongodb://user:p%40ss%3Aword@host/db?appName=a@b',
    'mongodb://user@host/db',
    'mongodb://user:@host/db',
    'mongodb://host/a@b',
    'mongodb://%2Ftmp%2Fmongodb-27017.sock/db',
    'mongodb+srv://user:pass@cluster0.abc.mongodb.net/?retryWrites=true&w=majority',
    'mongodb+srv://localhost/db',
  ];
  for (const address of right)
    it(`accepts ${address}`, () => {
      const { database, warnings } = configOf(address);
      expect([database.uri, warnings]).to.deep.equal([address, []]);
    });

  const old: readonly (readonly [address: string, uri: string, names: string])[] = [
    ['mongodb://h/db?useNewUrlParser=true', 'mongodb://h/db', 'useNewUrlParser'],
    ['mongodb://h/?usenewurlparser=true&replicaSet=a', 'mongodb://h/?replicaSet=a', 'useNewUrlParser'],
    ['mongodb://h/db?ssl=true&poolSize=5&useUnifiedTopology=true', 'mongodb://h/db?ssl=true', 'poolSize, useUnifiedTopology'],
  ];
  it('may have spaces and line ends around it', () => {
    expect(readAddress(' mongodb://host/db\r\n')).to.deep.equal({ uri: 'mongodb://host/db', problems: [], warnings: [] });
  });

  for (const [address, uri, names] of old)
    it(`ignores options of Strapi v3: ${address}`, () => {
      const { database, warnings } = configOf(address);
      const text = `config/database: uri has options of older drivers, which are ignored; remove ${names}`;
      expect([database.uri, warnings]).to.deep.equal([uri, [`${text} (environment variable MONGODB_URI)`]]);
      expect(readAddress(address).problems).to.deep.equal([]);
    });

  const unreadable: readonly (readonly [address: string, reason: string])[] = [
    ['mongodb://user:S3cret@host/db?retryWrite=true', 'option retrywrite is not supported'],
    ['mongodb://user:S3cret@host/db?w=', 'URI option "w" cannot be specified with no value'],
    ['mongodb://user:S3cret@a,b/db?directConnection=true', 'directConnection option requires exactly one host'],
  ];
  for (const [address, reason] of unreadable)
    it(`is read by the driver: ${address}`, async () => {
      const error: unknown = await connectDatabase(address, createConfig().database, { collections: [] }).catch(
        (thrown: unknown) => thrown,
      );
      expect(String(error))
        .to.include('(database.uri, MONGODB_URI) cannot be read')
        .and.include(reason)
        .and.not.match(/S3|cret\b/);
      expect(error).to.have.property('name', 'ConfigError');
    });
});
