import { availableParallelism } from 'node:os';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { createConfig } from '#settings/create-config.js';
import { createImageMaker } from '#media/images/image-maker.js';
import { measureImage } from '#media/images/transform-image.js';
import { packageRoot } from '#base/package-root.js';
import { drawNoise, drawTurned } from '../draw.js';
import { serveMedia, type MediaServer } from '../serve-media.js';

interface Format {
  readonly width: number;
  readonly height: number;
  readonly url: string;
  readonly mime: string;
  readonly sizeInBytes: number;
}

describe('media/images', () => {
  let media: MediaServer;
  before(async () => {
    media = await serveMedia({ config: { pixelLimit: 500_000, imageSizeLimit: 1_000_000 } });
  });
  after(() => media.stop());

  const load = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(media.url + url)).arrayBuffer());
  const uploadOne = async (name: string, type: string, bytes: Buffer) => (await media.upload([{ name, type, bytes }])).body[0];

  /** A box of a HEIC file. */
  const box = (name: string, ...parts: readonly Buffer[]): Buffer => {
    const content = Buffer.concat(parts);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(content.length + 8);
    head.write(name, 4, 'latin1');
    return Buffer.concat([head, content]);
  };
  const heic = (bytesBefore: number): Buffer => {
    const size = box('ispe', Buffer.from([0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 30]));
    const properties = box('iprp', box('ipco', box('free', Buffer.alloc(bytesBefore)), size));
    return Buffer.concat([box('ftyp', Buffer.from('heic\0\0\0\0heic')), box('meta', Buffer.alloc(4), properties)]);
  };
  for (const [bytesBefore, expected] of [
    [1_000, { width: 40, height: 30 }],
    [70_000, null],
  ] as const)
    it(`looks at the first 64 kB of a HEIC file for its size: behind ${String(bytesBefore)} bytes`, () => {
      expect(measureImage(heic(bytesBefore))).to.deep.equal(expected);
    });

  it('of the demo are smaller in AVIF than in WebP, and in WebP than in JPEG', async () => {
    const maker = createImageMaker(createConfig({}).plugins.upload.config);
    const bytes = await readFile(join(packageRoot, 'config/demo/files/coral.jpg'));
    const sender = { client: '192.0.2.1', signal: new AbortController().signal };
    const sizeIn = async (format: 'avif' | 'webp' | 'jpeg'): Promise<number> =>
      (await maker.resize(() => Promise.resolve(bytes), { width: 480, height: null, format }, sender)).bytes.length;
    const [avif, webp, jpeg] = [await sizeIn('avif'), await sizeIn('webp'), await sizeIn('jpeg')];
    expect(avif).to.be.below(webp);
    expect(webp).to.be.below(jpeg);
  });

  const sizes: readonly (readonly [number, number, string])[] = [
    [245, 156, 'none'],
    [246, 100, 'thumbnail 245x100'],
    [400, 300, 'thumbnail 208x156'],
    [800, 300, 'thumbnail 245x92, large none, medium 750x281, small 500x188'],
    [1200, 200, 'thumbnail 245x41, large 1000x167, medium 750x125, small 500x83'],
    [200, 1200, 'thumbnail 26x156, large 167x1000, medium 125x750, small 83x500'],
  ];
  for (const [width, height, expected] of sizes)
    it(`${String(width)}x${String(height)}: ${expected}`, async () => {
      const file = await uploadOne('photo.jpg', 'image/jpeg', await drawNoise(width, height, 'jpeg'));
      expect([file.width, file.height]).to.deep.equal([width, height]);
      const formats = (file.formats ?? {}) as Record<string, Format>;
      const wanted = expected.split(', ').filter((item) => !item.endsWith('none'));
      expect(
        Object.entries(formats).map(([name, format]) => `${name} ${String(format.width)}x${String(format.height)}`),
      ).to.have.members(wanted);
      for (const format of Object.values(formats)) {
        const bytes = await load(format.url);
        const found = await sharp(bytes).metadata();
        expect([found.width, found.height, bytes.length]).to.deep.equal([format.width, format.height, format.sizeInBytes]);
      }
    });

  for (const format of ['jpeg', 'webp', 'avif', 'gif', 'tiff'] as const)
    it(`${format} stays ${format}`, async () => {
      const file = await uploadOne(`photo.${format}`, `image/${format}`, await drawNoise(510, 40, format));
      expect([file.mime, file.width, file.height]).to.deep.equal([`image/${format}`, 510, 40]);
      const found = await sharp(await load(file.formats.small.url)).metadata();
      expect([found.format, found.compression === 'av1']).to.deep.equal(format === 'avif' ? ['heif', true] : [format, false]);
    });

  it('strips the metadata of an animation, which stays one', async () => {
    const frames = await Promise.all([1, 2, 3].map(() => drawNoise(40, 30)));
    const exif = { IFD0: { Copyright: 'somebody' } };
    const bytes = await sharp(frames, { join: { animated: true } })
      .withExif(exif)
      .webp()
      .toBuffer();
    expect((await sharp(bytes).metadata()).exif).not.to.equal(undefined);
    const { url, width, height } = await uploadOne('moves.webp', 'image/webp', bytes);
    const found = await sharp(await load(url)).metadata();
    expect([width, height, found.pages, found.exif]).to.deep.equal([40, 30, 3, undefined]);
  });

  it('rotates a photo by its EXIF data, and removes its location', async () => {
    const file = await uploadOne('photo.jpg', 'image/jpeg', await drawTurned(600, 300));
    expect([file.width, file.height]).to.deep.equal([300, 600]);
    for (const url of [file.url, file.formats.thumbnail.url]) {
      const found = await sharp(await load(url)).metadata();
      expect([found.exif, found.orientation, found.width < found.height], url).to.deep.equal([undefined, undefined, true]);
    }
  });

  it('compresses an image if that saves bytes', async () => {
    const bytes = await sharp({ create: { width: 200, height: 100, channels: 3, background: '#205030' } })
      .png({ compressionLevel: 0 })
      .toBuffer();
    const file = await uploadOne('flat.png', 'image/png', bytes);
    expect((await load(file.url)).length).to.be.below(bytes.length / 10);
  });

  it('measures SVG and makes no variants of it', async () => {
    const file = await uploadOne(
      'a.svg',
      'image/svg+xml',
      Buffer.from('<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"/>'),
    );
    expect([file.mime, file.ext, file.width, file.height, file.formats]).to.deep.equal(['image/svg+xml', '.svg', 640, 480, null]);
  });

  const types: readonly (readonly [
    title: string,
    name: string,
    declared: string,
    bytes: () => Promise<Buffer>,
    mime: string,
    ext: string,
  ])[] = [
    ['a PNG that calls itself a JPEG', 'a.jpg', 'image/jpeg', () => drawNoise(10, 10), 'image/png', '.png'],
    ['a PNG without a type', 'a', 'application/octet-stream', () => drawNoise(10, 10), 'image/png', '.png'],
    ['a text that calls itself a PNG', 'a.png', 'image/png', () => Promise.resolve(Buffer.from('text')), 'image/png', '.png'],
    [
      'an SVG that calls itself a PNG',
      'a.png',
      'image/png',
      () => Promise.resolve(Buffer.from('<svg width="1" height="1"/>')),
      'image/svg+xml',
      '.svg',
    ],
    [
      'a ZIP that calls itself a document',
      'a.docx',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      () => Promise.resolve(Buffer.from('PK\u0003\u0004rest of it')),
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      '.docx',
    ],
    [
      'a ZIP that calls itself a PNG',
      'a.png',
      'image/png',
      () => Promise.resolve(Buffer.from('PK\u0003\u0004rest of it')),
      'application/zip',
      '.zip',
    ],
    [
      'a type that is no type',
      'a.bin',
      'x y\r\nz',
      () => Promise.resolve(Buffer.from('text')),
      'application/octet-stream',
      '.bin',
    ],
  ];
  for (const [title, name, declared, bytes, mime, ext] of types)
    it(`${title} is ${mime}`, async () => {
      const file = await uploadOne(name, declared, await bytes());
      expect([file.name, file.mime, file.ext]).to.deep.equal([name, mime, ext]);
    });

  it('refuses a damaged image and one of too many pixels, and leaves nothing behind', async () => {
    const before = await media.stored();
    const damaged = (await drawNoise(300, 200)).subarray(0, 2000);
    const large = await sharp({ create: { width: 1000, height: 600, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const answers = [
      await media.upload([{ name: 'a.png', type: 'image/png', bytes: damaged }]),
      await media.upload([{ name: 'b.png', type: 'image/png', bytes: large }]),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.message])).to.deep.equal([
      [400, 'File is not a valid image'],
      [400, 'Image has too many pixels'],
    ]);
    expect(await media.stored()).to.deep.equal(before);
  });

  it('without sharp measures the rotated image, and makes no variants', async () => {
    const { config } = createConfig({}).plugins.upload;
    const maker = createImageMaker(config, () => Promise.reject(new Error('not installed')));
    const set = await maker.makeSet(() => drawTurned(600, 300), 'image/jpeg');
    expect([set?.size, set?.original, set?.variants.size]).to.deep.equal([{ width: 300, height: 600 }, null, 0]);
  });

  it('reads an image when its turn has come', async () => {
    const { config } = createConfig({}).plugins.upload;
    const maker = createImageMaker(config);
    const bytes = await drawNoise(300, 200);
    const waiting = Math.max(availableParallelism(), 4) + 2;
    let inMemory = 0;
    let most = 0;
    const read = () => {
      inMemory += 1;
      most = Math.max(most, inMemory);
      return Promise.resolve(bytes);
    };
    const make = () => maker.makeSet(read, 'image/png').finally(() => (inMemory -= 1));
    await Promise.all(Array.from({ length: waiting }, make));
    expect(most).to.be.within(1, 3);
  });

  describe('?width=, ?height= and ?format=', () => {
    let url: string;
    before(async () => {
      url = (await uploadOne('wide.png', 'image/png', await drawNoise(500, 250))).url;
    });

    it('draw once, keep, and delete with the file', async () => {
      const before = (await media.stored()).names.length;
      const answers = await Promise.all([1, 2, 3].map(() => fetch(`${media.url}${url}?width=320&format=webp`)));
      const found = await sharp(Buffer.from(await (answers[0] as Response).arrayBuffer())).metadata();
      expect([answers[0]?.headers.get('content-type'), found.format, found.width, found.height]).to.deep.equal([
        'image/webp',
        'webp',
        320,
        160,
      ]);
      expect((await media.stored()).names.length).to.equal(before + 1);
      const [file] = (await media.send('GET', `/api/upload/files?filters[url]=${url}`)).body;
      await media.send('DELETE', `/api/upload/files/${String(file.id)}`);
      expect((await media.stored()).names.filter((name) => name.startsWith('wide_'))).to.deep.equal([]);
    });

    it('refuse sizes and formats that are not listed, and other files', async () => {
      const [image] = (await media.upload([{ name: 'b.png', type: 'image/png', bytes: await drawNoise(10, 10) }])).body;
      const [text] = (await media.upload([{ name: 'b.txt', type: 'text/plain', bytes: 'b' }])).body;
      const [large] = (await media.upload([{ name: 'c.png', type: 'image/png', bytes: await drawNoise(700, 700) }])).body;
      for (const path of [
        `${image.url}?width=321`,
        `${image.url}?width=320&width=320`,
        `${image.url}?width=320&height=320`,
        `${image.url}?format=bmp`,
        `${text.url}?width=320`,
        `${large.url}?width=320`,
      ])
        expect((await media.send('GET', path)).status, path).to.equal(400);
      expect((await media.send('GET', `${image.url}?version=2`)).status).to.equal(200);
    });
  });
});
