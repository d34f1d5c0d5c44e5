import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readModels } from '#store/stores/model-store.js';
import { languages } from '#api/openapi/print-types.js';
import { fullAccess } from '#model/query/access.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { openDatabase } from './open-service.js';
import { onlyWord, parseWords, text, UsageError } from './usage-error.js';
import { print } from './print.js';

export const usage = `usage: npx mangrove types FILE [--url URL]
       npx mangrove types FILE --lang swift|kotlin|dart
  writes the content types as TypeScript into FILE: all stored ones, or those that the service at URL shows
  to the public, or with the token in MANGROVE_TOKEN; URL may also be that of the declarations, such as
  https://cms.example.org/content/types.d.ts
  with --lang: models of all stored types in that language, and a client for them`;

/** Writes the types of content types into a file. Returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseWords(args, { url: text, lang: text });
  const file = onlyWord(positionals, 'a file');
  const language = languageOf(values);
  const types = values.url === undefined ? await typesOfDatabase(language) : await typesOfService(values.url);
  const isSame = (await readFile(file, 'utf8').catch(() => null)) === types; // an unchanged file is not written, so that nothing is recompiled
  if (!isSame) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, types);
  }
  print(isSame ? `${file} is up to date` : `wrote ${file}`);
  return 0;
}

type Language = keyof typeof languages;

/** Throws a UsageError for an unknown language, and for one in which services do not describe their types. */
function languageOf({
  lang = 'typescript',
  url,
}: {
  readonly lang?: string | undefined;
  readonly url?: string | undefined;
}): Language {
  if (!Object.hasOwn(languages, lang)) throw new UsageError(`--lang must be one of ${Object.keys(languages).join(', ')}`);
  if (lang !== 'typescript' && url !== undefined) throw new UsageError(`--lang ${lang} reads the database, and takes no --url`);
  return lang as Language;
}

async function typesOfDatabase(language: Language): Promise<string> {
  const { settings, database, close } = await openDatabase();
  try {
    return languages[language](buildRegistry(await readModels(database), settings).registry, fullAccess);
  } finally {
    await close();
  }
}

/** Fetches the types of a service. `url` is the base URL of the service, or the URL of its declarations. */
async function typesOfService(url: string): Promise<string> {
  const address = url.endsWith('.d.ts') ? url : `${url.replace(/\/+$/, '')}/api/types.d.ts`;
  const token = process.env['MANGROVE_TOKEN'];
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(address, { headers }).catch((error: unknown) => {
    throw new Error(`${address} does not answer: ${reasonOf(error)}`);
  });
  const isTypes = response.headers.get('content-type')?.startsWith('application/typescript') === true;
  if (!response.ok || !isTypes) throw new Error(`${address} has no types: it answers with ${String(response.status)}`);
  return response.text();
}

/** Returns the reason of an error of fetch, which is in its cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? String(Reflect.get(cause, 'code') ?? cause.message) : message;
}
