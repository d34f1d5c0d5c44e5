import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { panelFolder } from './panel.js';

/**
 * Returns the texts, such as paths and sentences, that occur in compiled modules of folders called `ee`, and in no other module of the
 * panel.
 */
export async function enterpriseTexts(): Promise<readonly string[]> {
  const chunks = join(panelFolder, 'node_modules/@strapi/admin/dist/_chunks');
  const names = (await readdir(chunks)).filter((name) => name.endsWith('.mjs'));
  const modules = await Promise.all(names.map(async (name) => readModule(join(chunks, name))));
  const others = modules.filter(({ isEnterprise }) => !isEnterprise).map(({ code }) => code);
  const rest = others.join('\n');
  const own = modules
    .filter(({ isEnterprise }) => isEnterprise)
    .flatMap(({ code }) => [...code.matchAll(/"([^"\\\n]{8,200})"/g)]);
  const texts = new Set(own.map(([, text = '']) => text));
  return [...texts].filter((text) => /[ ./]/.test(text) && !rest.includes(text));
}

async function readModule(file: string) {
  const { sources } = JSON.parse(await readFile(`${file}.map`, 'utf8')) as { readonly sources: readonly string[] };
  const isEnterprise = sources.length > 0 && sources.every((source) => source.includes('/ee/'));
  return { isEnterprise, code: await readFile(file, 'utf8') };
}
