import { readFile } from 'node:fs/promises';
import { packageVersion } from '#base/package-root.js';
import type { BundlerPlugin } from './bundler.js';

/** Files of the panel with the texts of one language. */
const texts = /[\\/]@strapi[\\/][\w-]+[\\/]dist[\\/]_chunks[\\/][a-z]{2}(-[A-Za-z]{2,4})?-[\w-]{8}\.mjs$/;

/** A text with its key, such as `"app.components.LeftMenu.navbrand.title": "Strapi Dashboard"`. */
const text = /^(\s*"([^"]+)": )("(?:[^"\\]|\\.)*")/gm;

/** The product, but not what its makers sell beside it. */
const product = /\bStrapi\b(?! (Cloud|Market|Enterprise|Office))/g;

/** Texts that would be wrong here. */
const own: Readonly<Record<string, string>> = {
  'Settings.email.plugin.notification.test.success':
    'The service has taken the e-mail to {to}. Where the provider is "none", it is a file in data/mail, and nothing was sent.',
};

/**
 * A plugin of esbuild that names Mangrove in the texts of the panel, in all languages. The version of the panel gets that of Mangrove
 * beside it.
 */
export const renameTexts: BundlerPlugin = {
  name: 'rename-texts',
  setup({ onLoad }) {
    onLoad({ filter: texts, namespace: 'file' }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(
        text,
        (_, start: string, key: string, value: string) => start + rename(key, value),
      ),
      loader: 'js',
    }));
  },
};

/** Returns the text of a key, as JSON. */
function rename(key: string, value: string): string {
  if (Object.hasOwn(own, key)) return JSON.stringify(own[key]);
  return /strapi-?version$/i.test(key) ? `"Mangrove ${packageVersion}, ${value.slice(1)}` : value.replaceAll(product, 'Mangrove');
}
