import { expect } from 'chai';
import { serveMedia, type MediaServer } from '../../media/serve-media.js';

/** Published flaws of Strapi in uploads. The page docs/security-of-v4.md names these tests. */
describe('flaws of Strapi v4: files', () => {
  let media: MediaServer;
  before(async () => {
    media = await serveMedia();
  });
  after(() => media.stop());

  const script = '<script>alert(document.domain)</script>';

  /** Uploads a file, and returns the headers with which it is served. */
  const headersOf = async (name: string, type: string, bytes: string): Promise<Headers> => {
    const { status, body } = await media.upload([{ name, type, bytes }]);
    expect(status, name).to.equal(200);
    return (await fetch(media.url + String(body[0].url))).headers;
  };

  it('CVE-2022-27263: files that a browser or a server could execute are only downloaded', async () => {
    for (const [name, type] of [
      ['page.html', 'text/html'],
      ['page.xhtml', 'application/xhtml+xml'],
      ['code.js', 'text/javascript'],
      ['code.php', 'application/x-php'],
      ['page.html', 'image/png'],
    ] as const) {
      const headers = await headersOf(name, type, script);
      expect(headers.get('content-disposition'), name).to.equal('attachment');
      expect(headers.get('content-security-policy'), name).to.match(/default-src 'none'.*sandbox/);
      expect(headers.get('x-content-type-options'), name).to.equal('nosniff');
    }
  });

  it('CVE-2022-29894: pictures with scripts run none', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${script}</svg>`;
    const headers = await headersOf('logo.svg', 'image/svg+xml', svg);
    expect(headers.get('content-type')).to.equal('image/svg+xml');
    expect(headers.get('content-security-policy')).to.match(/default-src 'none'.*sandbox/);
  });

  it('CVE-2022-32114: documents with scripts run none in the origin of the service', async () => {
    const headers = await headersOf(
      'paper.pdf',
      'application/pdf',
      `%PDF-1.4\n1 0 obj <</OpenAction <</S /JavaScript /JS (app.alert(1))>>>> endobj`,
    );
    expect(headers.get('content-type')).to.equal('application/pdf');
    expect(headers.get('content-security-policy'))
      .to.match(/default-src 'none'/)
      .and.not.include('script-src');
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
  });

  it('CVE-2024-31217: names that no file can have do not end the service', async () => {
    for (const name of [
      'a.png\0',
      'a\0.png',
      '..',
      '../../../etc/passwd',
      `${'x'.repeat(5_000)}.png`,
      'a\r\nb.png',
      '.',
      'con:.png',
    ]) {
      const head = `--x\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: image/png\r\n\r\n`;
      const answer = await fetch(`${media.url}/api/upload`, {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        body: `${head}text\r\n--x--\r\n`,
      });
      expect(answer.status, JSON.stringify(name.slice(0, 20))).to.be.oneOf([200, 400, 413]);
      if (answer.status !== 200) continue;
      const [{ url }] = (await answer.json()) as [{ readonly url: string }];
      expect(url).to.match(/^\/uploads\/[\w.-]{1,255}$/);
      expect((await fetch(media.url + url)).status).to.equal(200);
    }
    expect((await media.send('GET', '/api/upload/files')).status).to.equal(200);
  });

  it('CVE-2026-22707: the type of a file is that of its content, whichever way it comes in', async () => {
    const form = async (route: string) => {
      const { body } = await media.upload(
        [{ name: 'photo.png', type: 'image/png', bytes: '<svg xmlns="http://www.w3.org/2000/svg"/>' }],
        {},
        route,
      );
      return [body].flat()[0] as { readonly id: number; readonly mime: string; readonly ext: string };
    };
    const first = await form('POST /api/upload');
    expect(first).to.include({ mime: 'image/svg+xml', ext: '.svg' });
    expect(await form(`POST /api/upload?id=${String(first.id)}`)).to.include({ mime: 'image/svg+xml', ext: '.svg' });
  });
});
