import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import fc from 'fast-check';
import { serveMedia, type MediaServer } from './serve-media.js';

/** `MULTIPART_RUNS=10000` sends as many as the heap is judged by; a few hundred find most of what they find. */
const runs = Number(process.env['MULTIPART_RUNS'] ?? 300);

const boundary = 'b7';

/** Valid and invalid lines of a body, to be combined at random. */
const line = fc.oneof(
  fc.constantFrom(
    `--${boundary}`,
    `--${boundary}--`,
    '',
    'Content-Disposition: form-data; name="files"; filename="a.txt"',
    'Content-Disposition: form-data; name="files.cover"; filename="a.png"',
    'Content-Disposition: form-data; name="files"; filename=""',
    'Content-Disposition: form-data; name="data"',
    'Content-Disposition: form-data; name="fileInfo"',
    'Content-Disposition: form-data; name="__proto__"; filename="__proto__"',
    'Content-Disposition: form-data',
    'Content-Disposition: attachment; filename*=UTF-8\'\'%00; name="constructor"',
    'Content-Type: text/plain',
    'Content-Type: multipart/mixed; boundary=c',
    'Content-Transfer-Encoding: base64',
    'Content-Transfer-Encoding: quoted-printable',
    ': x',
    '{"title":"t"}',
    '{"data":{"title":"t"}}',
    'nope',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const body = fc.oneof(
  fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\r\n')),
  fc
    .tuple(fc.array(line, { maxLength: 6 }), fc.array(line, { maxLength: 6 }))
    .map(([head, tail]) => [`--${boundary}`, ...head, '', ...tail, `--${boundary}--`, ''].join('\r\n')),
  fc
    .tuple(fc.string({ unit: 'binary', maxLength: 30 }), fc.string({ unit: 'binary', maxLength: 300 }))
    .map(
      ([name, content]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: image/png\r\n\r\n${content}\r\n--${boundary}--\r\n`,
    ),
);

const request = fc.record({
  body,
  path: fc.constantFrom('/api/upload', '/api/upload?id=1', '/api/stories', '/graphql'),
  type: fc.constantFrom(
    `multipart/form-data; boundary=${boundary}`,
    `multipart/form-data; boundary="${boundary}"`,
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${boundary}; charset=json`,
  ),
  cut: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe('http/read-multipart', () => {
  let media: MediaServer;
  before(async () => {
    media = await serveMedia({ config: { fieldsSize: 2_000, sizeLimit: 5_000 } });
  });
  after(() => media.stop());

  it(`${String(runs)} random bodies: no 5xx, nothing pending, no temporary file, a steady heap`, async function () {
    this.timeout(0);
    const temporary = temporaryFiles();
    const collect = globalThis.gc;
    let sent = 0;
    let early = 0;
    await fc.assert(
      fc.asyncProperty(request, async ({ body: text, path, type, cut }) => {
        const bytes = Buffer.from(cut < 0.2 ? text.slice(0, text.length * cut * 5) : text);
        const response = await fetch(media.url + path, { method: 'POST', headers: { 'content-type': type }, body: bytes });
        await response.arrayBuffer();
        sent += 1;
        if (sent === 1000) collect?.();
        if (sent === 1000) early = process.memoryUsage().heapUsed;
        expect(response.status, text).to.be.below(500);
      }),
      { numRuns: runs },
    );
    expect((await media.stored()).pending).to.equal(0);
    expect(temporaryFiles()).to.deep.equal(temporary);
    collect?.();
    if (early > 0)
      console.log(
        `      heap after 1,000: ${(early / 1e6).toFixed(1)} MB, after ${String(sent)}: ${(process.memoryUsage().heapUsed / 1e6).toFixed(1)} MB`,
      );
    if (early > 0 && collect) expect(process.memoryUsage().heapUsed - early).to.be.below(10_000_000);
  });
});

/** Files with names as formidable makes them. */
const temporaryFiles = (): string[] => readdirSync(tmpdir()).filter((name) => /^[a-z0-9]{25}$/.test(name));
