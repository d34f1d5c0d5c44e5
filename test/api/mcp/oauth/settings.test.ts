import { expect } from 'chai';
import { pino } from 'pino';
import { createService } from '#operate/service/create-server.js';
import { serveOAuth } from './flow.js';

const start = (environment: string, url: string | null) =>
  createService({
    config: {
      environment,
      server: { url },
      database: { uri: 'mongodb://127.0.0.1:1/never?replicaSet=rs0' },
      api: { mcp: { enabled: true, oauth: { enabled: true } } },
    },
  }).then(() => null, String);

describe('the settings of OAuth', () => {
  it('need the public address in production', async () => {
    expect(await start('production', null)).to.include('ConfigError: api.mcp.oauth.enabled needs server.url');
    expect(await start('staging', 'http://cms.test')).to.include('api.mcp.oauth.enabled needs a server.url with https');
    for (const url of ['https://cms.test/base', 'http://localhost:1337', 'http://127.0.0.1:1337', 'http://[::1]:1337'])
      expect(await start('production', url), url).to.equal(null);
    expect(await start('development', null)).to.equal(null);
  });

  it('warn without it in development', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const server = await serveOAuth({ logger, config: { environment: 'development' } });
    await server.stop();
    expect(lines.join('\n')).to.include('api.mcp.oauth.enabled needs server.url');
  });
});
