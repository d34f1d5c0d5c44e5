import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { createConfig } from '#settings/create-config.js';
import { createApp } from '#http/create-app.js';
import { healthRoutes } from '#http/health.js';
import { Connection } from '#http/running.js';
import { startHttpServer } from '#http/start-http-server.js';
import { createLogger, createObserver } from '#http/create-logger.js';
import type { Config } from '#settings/config.js';
import { sourceUrl } from '../support/program.js';

type LoggerConfig = Partial<Config['middlewares']['logger']>;

/** What is written when a message is logged in this environment. */
async function logged(environment: string, settings: LoggerConfig = {}, message = 'listening'): Promise<string> {
  const config = createConfig({ environment, middlewares: { logger: settings } });
  let text = '';
  const target = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const logger = await createLogger(config, target);
  logger.info({ port: 1337, ...(message !== 'listening' && { name: message, [message]: 1 }) }, message);
  return text;
}

describe('createLogger', () => {
  it('writes JSON in production', async () => {
    const { time, ...rest } = JSON.parse(await logged('production')) as Readonly<Record<string, unknown>>;
    expect(rest).to.deep.equal({ level: 30, port: 1337, msg: 'listening' });
    expect(time).to.be.closeTo(Date.now(), 60_000);
  });

  it('writes readable lines in development', async () => {
    const text = await logged('development');
    expect(text).to.match(/^\[?\d\d:\d\d:\d\d\]? INFO.*: listening\n {4}port: 1337\n$/);
  });

  const units = [...Array.from({ length: 160 }, (_, code) => code), 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069];
  const controls = units.filter((code) => (code < 32 && code !== 9 && code !== 10) || code > 126);
  it('writes no control characters of messages and names', async () => {
    const hostile = `a\\${String.fromCharCode(...controls)}ü"`;
    const text = await logged('development', {}, hostile);
    expect(text).not.to.match(/[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/);
    expect(text.split('\n')[0]).to.match(/: a\\\\u0000\\u0001.*\\u001b.*\\u009b.*\\u202e.*ü"$/);
    expect(await logged('development', {}, 'ünïcode 👍🏽 \\u001b "x"')).to.match(/: ünïcode 👍🏽 \\u001b "x"\n/);
  });

  it('follows the settings', async () => {
    expect(await logged('production', { pretty: true })).to.match(/listening\n/);
    expect(await logged('development', { pretty: false })).to.match(/^{"level":30/);
    expect(await logged('development', { level: 'warn', pretty: false })).to.equal('');
  });

  it('has written every line when the process exits', async () => {
    const script = `
      const { createLogger } = await import(${JSON.stringify(await sourceUrl('http/create-logger.ts'))});
      const { createConfig } = await import(${JSON.stringify(await sourceUrl('settings/create-config.ts'))});
      const logger = await createLogger(createConfig({ environment: 'production' }));
      for (let n = 1; n <= 200; n += 1) logger.info({ n });
      process.exit(0);`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
    const lines = stdout.trim().split('\n');
    const numbers = lines.map((line): unknown => (JSON.parse(line) as Readonly<Record<string, unknown>>).n);
    expect(numbers).to.deep.equal(Array.from({ length: 200 }, (_, index) => index + 1));
  });

  it('has one short line for a request in development, without its query', async () => {
    let text = '';
    const target = new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    });
    const config = createConfig({ environment: 'development' });
    const logger = await createLogger(config, target);
    const app = createApp({
      config,
      observer: createObserver(config, logger),
      connection: new Connection(),
      routes: healthRoutes({}),
    });
    const server = await startHttpServer(app.callback(), { ...config.server, host: '127.0.0.1', port: 0 });
    await (await fetch(`${server.url}/nothing?secret=1`)).text();
    await server.close();
    expect(text).to.match(/^\[?\d\d:\d\d:\d\d\]? INFO.*: GET \/nothing 404 \d+ ms\n$/);
  });
});
