import sharp, { type Sharp } from 'sharp';
import { encodings } from '../../src/media/images/transform-image.js';
import { scenes } from './cover-scenes.js';
import { size } from './cover-shapes.js';
import { meanSsim } from './ssim.js';
import { syntheticPictures } from './synthetic-pictures.js';

/**
 * Measures the formats of variants: prints the mean SSIM and the mean size for each quality, and for the encodings in force the size
 * relative to JPEG. The pictures are those of the demo magazine and synthetic ones, 640 pixels wide.
 */
const width = 640;
const box = `width="${String(size.width)}" height="${String(size.height)}"`;

const drawn = Object.entries(scenes).map(([name, draw]): readonly [string, Sharp] => [
  name,
  sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${box}>${draw()}</svg>`), { density: 150 }),
]);
const pictures = await Promise.all(
  [...drawn, ...syntheticPictures()].map(async ([name, picture]) => {
    const { data, info } = await picture.resize(width).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    return { name, data, raw: { width: info.width, height: info.height, channels: 3 as const } };
  }),
);

/** Returns the SSIM and the size of each picture in a format. */
const measure = (format: 'jpeg' | 'webp' | 'avif', options: object) =>
  Promise.all(
    pictures.map(async ({ data, raw }) => {
      const encoded = await sharp(data, { raw }).toFormat(format, options).toBuffer();
      const shown = await sharp(encoded).removeAlpha().raw().toBuffer();
      return { ssim: meanSsim(data, shown, raw), bytes: encoded.length };
    }),
  );

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const only = process.argv.slice(2);

for (const format of ['jpeg', 'webp', 'avif'] as const)
  for (let quality = 40; quality <= 95; quality += 5) {
    if (only.length > 0 && !only.includes(format)) continue;
    const found = await measure(format, { ...encodings.small[format], quality });
    console.log(
      `${format} ${String(quality)}: SSIM ${mean(found.map(({ ssim }) => ssim)).toFixed(4)}, ${mean(found.map(({ bytes }) => bytes)).toFixed(0)} bytes`,
    );
  }

for (const [name, set] of Object.entries(encodings)) {
  const jpeg = await measure('jpeg', set.jpeg);
  for (const format of ['jpeg', 'webp', 'avif'] as const) {
    const found = format === 'jpeg' ? jpeg : await measure(format, set[format]);
    const ratios = found.map(({ bytes }, index) => bytes / (jpeg[index]?.bytes ?? 1));
    console.log(
      `${name} ${format}: SSIM ${mean(found.map(({ ssim }) => ssim)).toFixed(4)}, size ${mean(ratios).toFixed(2)} of JPEG`,
    );
    if (format !== 'jpeg')
      console.log(
        pictures
          .map(
            (picture, index) =>
              `  ${picture.name} ${(ratios[index] ?? 0).toFixed(2)} (${(found[index]?.ssim ?? 0).toFixed(3)}, JPEG ${(jpeg[index]?.ssim ?? 0).toFixed(3)})`,
          )
          .join('\n'),
      );
  }
}
