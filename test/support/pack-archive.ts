import { createCipheriv, scryptSync } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Header } from 'tar-stream';

/** A file of an archive; a list becomes lines of JSON. */
export type ArchivedFile = Partial<Header> & { readonly name: string; readonly content?: string | Buffer | readonly unknown[] };

/** Writes an archive as `strapi export` does; compressed and encrypted as its name says. */
export async function packArchive(file: string, files: readonly ArchivedFile[], key = ''): Promise<void> {
  const archive = pack();
  for (const { content = '', ...header } of files) {
    const bytes = Array.isArray(content) ? content.map((item) => JSON.stringify(item)).join('\n') : (content as string | Buffer); // else
    if (header.type === undefined || header.type === 'file') archive.entry(header, bytes);
    else archive.entry(header);
  }
  archive.finalize();
  const steps = [
    ...(/\.gz(\.enc)?$/.test(file) ? [createGzip()] : []),
    ...(file.endsWith('.enc') ? [createCipheriv('aes-128-ecb', scryptSync(key, '', 16), null)] : []),
  ];
  await pipeline([archive as unknown as NodeJS.ReadableStream, ...steps, createWriteStream(file)]);
}

/** What is written last. */
export const metadata: ArchivedFile = { name: 'metadata.json', content: '{"strapi":{"version":"4.26.2"}}' };
