import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

/** Ways in which controllers send events. The second event waits for the request of /next. */
const senders: Readonly<Record<string, string>> = {
  'a stream as the body': `ctx.set('Content-Type', 'text/event-stream'); const events = new PassThrough(); ctx.body = events; later((text) => events.write(text));`,
  'a type with a charset': `ctx.set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache' }); const events = new PassThrough(); ctx.body = events; later((text) => events.write(text));`,
  'ctx.type': `ctx.type = 'text/event-stream'; const events = new PassThrough(); ctx.body = events; later((text) => events.write(text));`,
  'compression that code asks for': `ctx.type = 'text/event-stream'; ctx.compress = true; const events = new PassThrough(); ctx.body = events; later((text) => events.write(text));`,
  'headers that code flushes': `ctx.type = 'text/event-stream'; ctx.status = 200; ctx.flushHeaders(); const events = new PassThrough(); ctx.body = events; later((text) => events.write(text));`,
  'the response of Node': `ctx.respond = false; ctx.res.writeHead(200, { 'Content-Type': 'text/event-stream' }); ctx.res.flushHeaders(); later((text) => ctx.res.write(text));`,
};

const router = `
const { PassThrough } = require('node:stream');
let next = () => undefined;
const later = (send) => { next = send; };
module.exports = { routes: [
  { method: 'GET', path: '/events', handler: (ctx) => { new Function('ctx', 'PassThrough', 'later', ctx.get('x-code'))(ctx, PassThrough, later); }, config: { auth: false } },
  { method: 'GET', path: '/next', handler: (ctx) => { next(ctx.query.data); return {}; }, config: { auth: false } },
] };`;

describe('events that code sends', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject({ 'src/api/event/routes/event.js': router }, { models: [] });
  });
  after(() => serving.stop());

  for (const [name, code] of Object.entries(senders))
    for (const encoding of ['gzip, br', 'identity'])
      it(`arrive one by one by ${name}, for a client that accepts ${encoding}`, async () => {
        const headers = { 'accept-encoding': encoding, 'x-code': code };
        const asked = request(`${serving.server.url}/api/events`, { headers }).end();
        const [answer] = (await once(asked, 'response')) as [IncomingMessage]; // before any event
        expect(answer.headers).to.not.have.property('content-encoding');
        expect(answer.headers['content-type']).to.match(/^text\/event-stream/);
        for (const data of ['data: 1\n\n', 'data: 2\n\n']) {
          const read = once(answer, 'data');
          await fetch(`${serving.server.url}/api/next?data=${encodeURIComponent(data)}`);
          expect(String((await read)[0])).to.equal(data);
        }
        asked.destroy();
      });
});
