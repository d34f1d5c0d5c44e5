import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isRunning } from '#base/processes.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { runCli } from '../../support/run-cli.js';

const surplus = 'extra is one word too many';

/** Command lines that are refused, and the message, on a database that no service has opened yet. */
const cases: readonly (readonly [line: string, message: string])[] = [
  ['roles list extra', surplus],
  ['roles create Public', 'This attribute must be unique'],
  ['roles create Other --type public', 'This attribute must be unique'],
  ['roles change public --name=', 'the text of --name is missing'],
  ['rules list public extra', surplus],
  ['rules set public a.json extra', surplus],
  ['rules remove public extra', surplus],
  ['locales list extra', surplus],
  ['permissions list public extra', surplus],
  ['user set-role ann public extra', surplus],
  ['token list extra', surplus],
  ['token revoke ci extra', surplus],
  ['token create --days 99999999', '--days must be a number above 0 and at most 36525, not 99999999'],
  ['webhooks list extra', surplus],
  ['models list extra', surplus],
  ['models pull a extra', surplus],
  ['models export a extra', surplus],
  ['models remove api::x.x extra', surplus],
  ['export a.tar --key-file key', '--key-file is for encrypted archives, whose names end with .enc, not a.tar'],
  ['backup s3://', 's3:// has no name of an object'],
];

describe('commands with wrong arguments', () => {
  let directory: string;
  let database: FreshDatabase;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-arguments-'));
    database = await freshDatabase();
  });
  after(async () => {
    await database.drop();
    await rm(directory, { recursive: true });
  });

  for (const [line, message] of cases)
    it(`${line} is refused`, async () => {
      const [name = '', ...args] = line.split(' ');
      const { exitCode, stderr } = await runCli(name, args, {
        directory,
        env: { MONGODB_URI: database.uri, NODE_ENV: 'development' },
      });
      expect(exitCode).to.equal(1);
      expect(stderr).to.include(message);
    });

  it('end the embedded server', async () => {
    const { exitCode } = await runCli('user', ['create'], { directory, env: { NODE_ENV: 'development' } });
    const { serverPid } = JSON.parse(await readFile(join(directory, 'data/db/instance.json'), 'utf8')) as { serverPid: number };
    expect([exitCode, isRunning(serverPid)]).to.deep.equal([1, false]);
  });
});
