import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { createConfig } from '../../src/config/create-config.js';
import { createLogger } from '../../src/http/create-logger.js';
import type { Variables } from '../../src/config/read-variable.js';

/** What is written when a message is logged under these environment variables. */
async function logged(variables: Variables): Promise<string> {
  const config = createConfig({}, { variables, environment: variables.NODE_ENV ?? 'development' });
  let text = '';
  const target = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const logger = await createLogger(config, target);
  logger.info({ port: 1337 }, 'listening');
  return text;
}

describe('createLogger', () => {
  it('writes JSON in production', async () => {
    const { time, ...rest } = JSON.parse(await logged({ NODE_ENV: 'production' })) as Readonly<Record<string, unknown>>;
    expect(rest).to.deep.equal({ level: 30, port: 1337, msg: 'listening' });
    expect(time).to.be.closeTo(Date.now(), 60_000);
  });

  it('writes for people in development', async () => {
    process.env.NODE_ENV = 'development';
    const text = await logged({ NODE_ENV: 'development' });
    delete process.env.NODE_ENV;
    expect(text).to.match(/^\[?\d\d:\d\d:\d\d\]? INFO.*: listening\n {4}port: 1337\n$/);
  });

  it('does as LOG_PRETTY and LOG_LEVEL say', async () => {
    expect(await logged({ NODE_ENV: 'production', LOG_PRETTY: 'true' })).to.match(/listening\n/);
    expect(await logged({ NODE_ENV: 'development', LOG_PRETTY: 'false' })).to.match(/^{"level":30/);
    expect(await logged({ LOG_LEVEL: 'warn', LOG_PRETTY: 'false' })).to.equal('');
  });

  it('has written every line when the process exits', async () => {
    const script = `
      const { createLogger } = await import('./src/http/create-logger.ts');
      const { createConfig } = await import('./src/config/create-config.ts');
      const logger = await createLogger(createConfig({}, { environment: 'production' }));
      for (let n = 1; n <= 200; n += 1) logger.info({ n });
      process.exit(0);`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--import=tsx', '--input-type=module', '--eval', script]);
    const lines = stdout.trim().split('\n');
    expect(lines).to.have.length(200);
    expect(JSON.parse(lines.at(-1) ?? '')).to.include({ n: 200 });
  }).timeout(10_000);
});
