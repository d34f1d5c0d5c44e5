import { expect } from 'chai';
import { describeStart } from '../../src/cli/describe-start.js';
import { createServer } from '../../src/server.js';
import { freshDatabase } from '../support/mongo.js';

describe('cli/describe-start', () => {
  const modelsLine = async (uri: string): Promise<string | undefined> => {
    const server = await createServer({
      config: {
        server: { host: '127.0.0.1', port: 0 },
        database: { uri, selectionTimeout: 500 },
        middlewares: { logger: { level: 'silent' } },
      },
    });
    await server.start();
    const lines = describeStart(server, { embedded: null });
    await server.stop();
    return lines.find((line) => line.includes('Models'))?.trim();
  };

  it('says how to add models where there are none', async () => {
    const database = await freshDatabase();
    expect(await modelsLine(database.uri)).to.equal('Models    none yet: npm run models -- add FILE');
    await database.drop();
  });

  it('says nothing of models while the database does not answer', async () => {
    expect(await modelsLine('mongodb://127.0.0.1:9/none')).to.equal('Models    read when the database answers');
  });
});
