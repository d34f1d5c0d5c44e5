import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { linkTo, type TcpLink } from '../../scripts/prove/faults/tcp-link.js';
import { createLog, type Log } from '../support/create-log.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { serveModels, type Serving } from '../support/serve.js';

describe('the log', () => {
  let fresh: FreshDatabase;
  let link: TcpLink;
  let log: Log;
  let serving: Serving;
  before(async () => {
    fresh = await freshDatabase();
    link = await linkTo(fresh.client.options.hosts[0]?.port ?? 0);
    log = await createLog();
    const uri = `mongodb://127.0.0.1:${String(link.port)}/${fresh.name}?directConnection=true`;
    const config = { database: { heartbeat: 500, silence: 500 } };
    serving = await serveModels({ models: [], database: { ...fresh, uri }, config, logger: log.logger });
  });
  after(async () => {
    link.unblock();
    await serving.stop();
    await link.close();
    await fresh.drop();
  });

  const lines = () => log.lines.filter(({ msg }) => String(msg).startsWith('MongoDB is')).map(({ level, msg }) => [level, msg]);
  const untilLines = async (count: number): Promise<void> => {
    while (lines().length < count) await delay(20);
  };

  const lost = [40, 'MongoDB is not available: no server accepts writes, requests wait and are then answered by 503'];
  const found = [30, 'MongoDB is available again'];

  it('says when MongoDB is lost and when it is back, and nothing when the service stops', async () => {
    link.block();
    await untilLines(1);
    link.unblock();
    await untilLines(2);
    expect(lines()).to.deep.equal([lost, found]);
    await serving.stop();
    expect(lines()).to.deep.equal([lost, found]);
  });
});
