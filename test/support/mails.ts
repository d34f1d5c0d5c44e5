import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The texts of the e-mails that a service without a mail server has written, the oldest first. */
export async function readMails(directory: string): Promise<string[]> {
  const folder = join(directory, 'data', 'mail');
  const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.eml')).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.map((text) => text.replaceAll('=\r\n', '').replaceAll('=\n', ''));
}

/** The last of them in the form for people. */
export async function readLastText(directory: string): Promise<string> {
  const folder = join(directory, 'data', 'mail');
  const last = (await readdir(folder))
    .filter((file) => file.endsWith('.txt'))
    .sort()
    .at(-1);
  return readFile(join(folder, last ?? ''), 'utf8');
}

/** The code that a query parameter of the last e-mail names; waits until it has been written. */
export async function readCode(directory: string, parameter: 'code' | 'confirmation'): Promise<string> {
  const pattern = new RegExp(`${parameter}=(?:3D)?([0-9a-f]{40,})`);
  for (;;) {
    const code = pattern.exec((await readMails(directory)).at(-1) ?? '')?.[1];
    if (code !== undefined) return code;
  }
}

/** The last e-mail, once it contains a text. E-mails are sent after the answer. */
export async function awaitMail(directory: string, text: string): Promise<string> {
  for (;;) {
    const last = (await readMails(directory)).at(-1) ?? '';
    if (last.includes(text)) return last;
  }
}
