import { expect } from 'chai';
import { article, type Previewing, servePreview } from './serve-preview.js';

/** The events of a stream as they arrive: their names and ids. */
interface Stream {
  readonly status: number;
  readonly next: () => Promise<string>;
  readonly lastId: () => string;
  readonly close: () => void;
}

async function listen(url: string, token: string, headers: Readonly<Record<string, string>> = {}): Promise<Stream> {
  const stop = new AbortController();
  const answer = await fetch(`${url}/api/preview/events?previewToken=${token}`, { headers, signal: stop.signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let [text, id] = ['', ''];
  const next = async (): Promise<string> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        id = /^id: (.*)$/m.exec(event)?.[1] ?? id;
        const name = /^event: (.*)$/m.exec(event)?.[1];
        if (name !== undefined) return name;
        continue;
      }
      const part = await reader?.read();
      if (part?.value === undefined) return 'closed';
      text += part.value;
    }
  };
  return { status: answer.status, next, lastId: () => id, close: () => stop.abort() };
}

describe('the events of a preview', () => {
  let previewing: Previewing;
  let url: string;

  before(async () => {
    previewing = await servePreview([]);
    ({ url } = previewing.serving.server);
  });
  after(() => previewing.serving.stop());

  const save = async (id: number, title: string): Promise<void> => {
    const { status } = await previewing.send('super', 'PUT', `/content-manager/collection-types/${article}/${String(id)}`, {
      title,
    });
    expect(status).to.equal(200);
  };

  it('come after each save of the entry, and of no other', async () => {
    const stream = await listen(url, await previewing.tokenFor('editor', 2));
    expect(stream.status).to.equal(200);
    expect(await stream.next()).to.equal('ready');
    const first = stream.lastId();
    await save(3, 'Another entry');
    await save(2, 'Saved');
    expect(await stream.next()).to.equal('save');
    const second = stream.lastId();
    expect(second).to.not.equal(first);
    await save(2, 'Saved again');
    expect(await stream.next()).to.equal('save');
    expect(stream.lastId()).to.not.equal(second);
    stream.close();
  });

  it('come at once after a lost connection if there was one', async () => {
    const token = await previewing.tokenFor('editor', 2);
    const stream = await listen(url, token);
    expect(await stream.next()).to.equal('ready');
    stream.close();
    const again = await listen(url, token, { 'last-event-id': stream.lastId() });
    expect(await again.next()).to.equal('ready');
    again.close();
    await save(2, 'Saved meanwhile');
    const late = await listen(url, token, { 'last-event-id': stream.lastId() });
    expect(await late.next()).to.equal('save');
    late.close();
  });

  it('need a valid token, and are at most twenty streams of one', async () => {
    expect((await listen(url, 'x')).status).to.equal(401);
    const token = await previewing.tokenFor('editor', 2);
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen(url, token)));
    expect(streams.map(({ status }) => status)).to.deep.equal(streams.map(() => 200));
    expect((await listen(url, token)).status).to.equal(429);
    for (const one of streams) one.close();
  });

  it('end with the rights of the editor', async () => {
    const stream = await listen(url, await previewing.tokenFor('editor', 2));
    expect(await stream.next()).to.equal('ready');
    const users = (await previewing.send('super', 'GET', '/admin/users')).body.data.results as readonly {
      readonly id: number;
      readonly email: string;
    }[];
    const id = String(users.find(({ email }) => email.startsWith('editor'))?.id);
    expect((await previewing.send('super', 'PUT', `/admin/users/${id}`, { isActive: false })).status).to.equal(200);
    expect(await stream.next()).to.equal('end');
    expect(await stream.next()).to.equal('closed');
  });
});
