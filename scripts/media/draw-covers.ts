import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { packageRoot } from '../../src/base/package-root.js';
import { scenes } from './cover-scenes.js';
import { size } from './cover-shapes.js';

/** Draws the covers of the demo magazine into config/demo/files. */
const box = `width="${String(size.width)}" height="${String(size.height)}"`;
for (const [name, draw] of Object.entries(scenes)) {
  const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${box}>${draw()}</svg>`);
  const cover = await sharp(svg).resize(560).jpeg({ quality: 58, mozjpeg: true }).toBuffer();
  await writeFile(join(packageRoot, 'config', 'demo', 'files', `${name}.jpg`), cover);
  console.log(`${name}.jpg: ${String(cover.length)} bytes`);
}
