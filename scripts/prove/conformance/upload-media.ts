import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Content } from './read-content.js';

/** Uploads the files of the fixtures in their order, so that they have the ids 1..n, as in the recordings. Throws if one is refused. */
export async function uploadMedia({ fixtures, files, setup }: Content, url: string): Promise<void> {
  const token = setup.apiTokens.find(({ type }) => type === 'full-access')?.accessKey ?? '';
  for (const { key, file, mime, info } of fixtures.media) {
    const body = new FormData();
    body.append('files', new Blob([await readFile(path.join(files, file))], { type: mime }), file);
    if (info) body.append('fileInfo', JSON.stringify(info));
    const response = await fetch(`${url}/api/upload`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body });
    if (!response.ok) throw new Error(`media.${key}: ${String(response.status)} ${await response.text()}`);
  }
}
