import { expect } from 'chai';
import { chromium } from 'playwright-core';
import { findChromium } from '../support/find-chromium.js';
import { serveMedia, type MediaServer } from './serve-media.js';

const executablePath = findChromium();

/** 64 MB of sound, far more than a browser loads ahead: 16 bit, two channels, 48,000 times a second. */
const perSecond = 192_000;
const seconds = 334;
const sought = 300;

describe('media in a browser', () => {
  let media: MediaServer;
  before(async () => {
    media = await serveMedia({ config: { sizeLimit: 100_000_000 } });
  });
  after(() => media.stop());

  it('plays a sound of 64 MB by ranges: right duration, and seeking works', async function () {
    if (executablePath === undefined) {
      console.log('      no Chromium here: the sound was not played (apt-get install chromium, or CHROMIUM_PATH=/path)');
      this.skip();
    }
    const [file] = (await media.upload([{ name: 'sea.wav', type: 'audio/wav', bytes: drawSound() }])).body;
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
    });
    try {
      const page = await browser.newPage();
      const answers: (readonly [status: number, range: string | undefined])[] = [];
      page.on('response', (response) => answers.push([response.status(), response.headers()['content-range']]));
      await page.goto(`${media.url}/_health/ready`);
      const played = await page.evaluate<{ duration: number; at: number }>(
        `(${play})(${JSON.stringify(media.url + String(file.url))})`,
      );
      expect(played.duration).to.be.closeTo(seconds, 0.01);
      expect(played.at).to.be.within(sought, sought + 10);
      const far = answers.filter(
        ([status, range]) => status === 206 && Number(/^bytes (\d+)/.exec(range ?? '')?.[1]) > 0.9 * sought * perSecond,
      );
      expect(far, JSON.stringify(answers)).not.to.deep.equal([]);
    } finally {
      await browser.close();
    }
  });
});

/** Runs in the page: loads, seeks far ahead, and plays a little. As a text, since what the compiler adds is not there. */
const play = `async (src) => {
  const audio = new Audio(src);
  const heard = (event) => new Promise((resolve, reject) => {
    audio.addEventListener(event, resolve, { once: true });
    audio.addEventListener('error', () => reject(new Error(audio.error.message)), { once: true });
  });
  audio.muted = true;
  await heard('loadedmetadata');
  const seeked = heard('seeked');
  audio.currentTime = ${String(sought)};
  await seeked;
  const moving = heard('timeupdate');
  await audio.play();
  await moving;
  return { duration: audio.duration, at: audio.currentTime };
}`;

function drawSound(): Buffer {
  const size = perSecond * seconds;
  const sound = Buffer.alloc(44 + size, Buffer.from([0, 0, 100, 0, 0, 100]));
  sound.write('RIFF', 0);
  sound.writeUInt32LE(36 + size, 4);
  sound.write('WAVEfmt ', 8);
  sound.writeUInt32LE(16, 16);
  sound.writeUInt16LE(1, 20);
  sound.writeUInt16LE(2, 22);
  sound.writeUInt32LE(48_000, 24);
  sound.writeUInt32LE(perSecond, 28);
  sound.writeUInt16LE(4, 32);
  sound.writeUInt16LE(16, 34);
  sound.write('data', 36);
  sound.writeUInt32LE(size, 40);
  return sound;
}
