import { existsSync } from 'node:fs';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where Chromium is: `CHROMIUM_PATH`, or a usual place; undefined where it is not installed. */
export const findChromium = (): string | undefined =>
  [process.env['CHROMIUM_PATH'] ?? '', ...places].find((path) => path !== '' && existsSync(path));
