import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';

const sizes = [
  [360, 740],
  [1280, 900],
] as const;

/** Returns the side of a form of the panel. */
export const sideOf = (page: Page): Locator => page.locator('aside[aria-labelledby="additional-information"]');

/**
 * Shows a page at 360 and 1,280 pixels. No element of `within` may reach beyond the window. With `SHOTS` writes a picture of each width
 * into that folder.
 */
export async function showAtBothWidths(name: string, within: Locator): Promise<void> {
  const page = within.page();
  const shots = process.env['SHOTS'];
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    const ends = await within.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
    expect(Math.max(0, ...ends), `${name}: right end at ${String(width)} pixels`).to.be.at.most(width);
    if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}-${String(width)}.png`), fullPage: true });
  }
}
