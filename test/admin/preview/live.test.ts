import { expect } from 'chai';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { collectionType } from '../../support/collection-type.js';
import { article, models, type Previewing, servePreview } from './serve-preview.js';

const live = 'query @live { articles { data { id } } }';
const subscription = 'subscription { notesChanges { op } }';
const note = collectionType('note', { title: { type: 'string' } }, { pluginOptions: { sync: { enabled: true } } });
const refusal = 'The header X-Preview-Token is not for subscriptions and live queries';

describe('operations that last, with a preview token', () => {
  let previewing: Previewing;
  let token: string;
  const url = () => `${previewing.serving.server.url}/graphql`;

  before(async () => {
    previewing = await servePreview([`${article}.find`, 'api::note.note.find'], {
      models: [...models, note],
      config: { plugins: { graphql: { config: { subscriptions: true } } } },
    });
    token = await previewing.tokenFor('editor', 2);
  });
  after(() => previewing.serving.stop());

  for (const accept of ['text/event-stream', 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0'])
    for (const query of [live, subscription])
      it(`are refused over ${accept}: ${query}`, async () => {
        const send = async (own: Readonly<Record<string, string>>): Promise<readonly [status: number, text: string]> => {
          const controller = new AbortController();
          const headers = { accept, 'content-type': 'application/json', ...own };
          const init = { method: 'POST', headers, body: JSON.stringify({ query }), signal: controller.signal };
          const answer = await fetch(url(), init);
          const text = answer.status === 200 ? '' : await answer.text();
          controller.abort();
          return [answer.status, text];
        };
        const [status, text] = await send({ 'x-preview-token': token });
        expect(status).to.equal(400);
        expect(text).to.include(refusal);
        expect(await send({})).to.deep.equal([200, '']);
      });

  it('are refused over a WebSocket, by the header of its request', async () => {
    const socket = new WebSocket(url().replace('http', 'ws'), 'graphql-transport-ws', { headers: { 'x-preview-token': token } });
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(answer.statusCode).to.equal(400);
    answer.destroy();
  });

  it('are refused over a WebSocket, by what is sent in the place of headers', async () => {
    for (const [payload, expected] of [
      [{ 'X-Preview-Token': token }, 4400],
      [{}, null],
    ] as const) {
      const socket = new WebSocket(url().replace('http', 'ws'), 'graphql-transport-ws');
      await once(socket, 'open');
      socket.send(JSON.stringify({ type: 'connection_init', payload }));
      if (expected === null) expect(String((await once(socket, 'message'))[0])).to.include('connection_ack');
      else {
        const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
        expect([code, String(reason)]).to.deep.equal([expected, refusal]);
      }
      socket.close();
    }
  });
});
