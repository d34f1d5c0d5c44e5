import { expect } from 'chai';
import { Writable } from 'node:stream';
import { loadConfig } from '../../src/config/load-config.js';
import { createLogger } from '../../src/http/create-logger.js';
import type { Variables } from '../../src/config/read-variable.js';

/** What is written when a message is logged under these environment variables. */
async function logged(variables: Variables): Promise<string> {
  const config = await loadConfig({ directory: '/nonexistent', variables });
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
    expect(new Date(String(time)).getTime()).to.be.closeTo(Date.now(), 60_000);
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
});
