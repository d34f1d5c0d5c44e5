import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { packageRoot } from '#base/package-root.js';

/** Where the pictures of docs/editorial.md are written, if `PICTURES` is set. */
const folder = join(packageRoot, 'docs/images');

/**
 * Returns a function that shows a page at 360 and 1,280 pixels, where nothing may be wider than the window, and with `SHOTS` writes both
 * into that folder. With `PICTURES` it writes the wide one for the documentation; `shown` is then scrolled into view.
 */
export const picturesOf =
  (page: () => Page) =>
  async (name: string, shown?: Locator): Promise<void> => {
    await page().getByText('Success:').last().waitFor({ state: 'hidden' });
    const { SHOTS: shots, PICTURES: pictures } = process.env;
    for (const [width, height] of [
      [360, 740],
      [1280, 800],
    ] as const) {
      await page().setViewportSize({ width, height });
      await shown?.scrollIntoViewIfNeeded();
      const wide = await page().evaluate('document.documentElement.scrollWidth');
      expect(wide, `the width of the page at ${String(width)} pixels`).to.be.at.most(width);
      if (shots !== undefined) await page().screenshot({ path: join(shots, `week-${name}-${String(width)}.png`) });
    }
    if (pictures === undefined) return;
    await mkdir(folder, { recursive: true });
    const picture = await sharp(await page().screenshot())
      .webp({ quality: 60 })
      .toBuffer();
    expect(picture.length, `the size of ${name}`).to.be.at.most(60_000);
    await writeFile(join(folder, `editorial-${name}.webp`), picture);
  };
