import { expect } from 'chai';
import { cleanName, cleanTitle, hashName } from '#media/clean-name.js';
import { decideType } from '#media/decide-type.js';

describe('media/clean-name', () => {
  /** Names as clients send them, and as they are stored; null: refused. */
  const names: readonly (readonly [sent: string, stored: string | null])[] = [
    ['reef.png', 'reef.png'],
    ['  reef.png ', 'reef.png'],
    ['e\u0301tude.png', '\u00e9tude.png'],
    ['ree\u200bf\u202e.png', 'reef.png'],
    ['', null],
    ['\u200b', null],
    ['..', null],
    ['a/b.png', null],
    ['a\\b.png', null],
    ['a\u0000.png', null],
    ['CON', null],
    ['lpt1', null],
    [`${'x'.repeat(300)}.png`, `${'x'.repeat(196)}.png`],
    [`${'x'.repeat(195)}\u{1F980}\u{1F980}.png`, `${'x'.repeat(195)}.png`],
  ];
  for (const [sent, stored] of names)
    it(JSON.stringify(sent.slice(0, 20)), () => {
      if (stored === null) expect(() => cleanName(sent)).to.throw('File name contains invalid characters');
      else expect(cleanName(sent)).to.equal(stored);
    });

  it('keeps every visible character of a title', () => {
    expect(cleanTitle(' a/b\u0000\u0001c\u200b ')).to.equal('a/b c');
    expect(cleanTitle('\u200b\n')).to.equal(null);
  });

  it('makes the name of a URL', async () => {
    expect(await hashName('Mangrove roots.png', '.png')).to.match(/^Mangrove_roots_[0-9a-f]{10}$/);
    expect(await hashName('日本.png', '.png')).to.match(/^file_[0-9a-f]{10}$/);
  });
});

describe('media/decide-type', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
  const zip = Buffer.from('504b03041400000000000000000000000000000000000000000000000000', 'hex');
  const svg = Buffer.from('<?xml version="1.0"?><!-- drawn --><svg xmlns="http://www.w3.org/2000/svg"/>');
  const text = Buffer.from('plain text');

  /** Name, declared type, content, and the type and extension that are decided. */
  const files: readonly (readonly [name: string, mime: string, head: Buffer, mimeAndExt: string])[] = [
    ['reef.png', 'image/png', png, 'image/png .png'],
    ['reef.jpg', 'image/jpeg', png, 'image/png .png'],
    ['reef', 'application/octet-stream', png, 'image/png .png'],
    ['reef.html', 'text/html', png, 'image/png .png'],
    ['reef.svg', 'text/plain', svg, 'image/svg+xml .svg'],
    [
      'notes.docx',
      'application/octet-stream',
      zip,
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document .docx',
    ],
    ['notes.txt', 'text/plain; charset=utf-8', text, 'text/plain .txt'],
    ['notes', 'text/plain', text, 'text/plain .txt'],
    ['notes.t x', 'no type', text, 'application/octet-stream '],
  ];
  for (const [name, mime, head, expected] of files)
    it(`${name} as ${mime}`, async () => {
      const decided = await decideType({ name, mime, head });
      expect(`${decided.mime} ${decided.ext}`).to.equal(expected);
    });
});
