import { expect } from 'chai';
import { createConfig } from '#settings/create-config.js';
import { Listener } from '#http/listener.js';
import { prepareHttpServer } from '#http/start-http-server.js';
import { Observer } from '#base/observe/observer.js';

describe('the ports of the service', () => {
  it('are closed by a stop while they are being opened', async () => {
    const config = createConfig({ server: { host: '127.0.0.1', port: 0 } });
    const prepared = prepareHttpServer(config.server);
    const listener = new Listener(prepared, new Observer());
    const opened = listener.open(config);
    await listener.close(config);
    await opened;
    expect(prepared.server.listening).to.equal(false);
  });
});
