import { mkdir } from 'node:fs/promises';

/**
 * Makes a folder for data of the service, and its missing parents. Other users of the machine cannot list or open them, whatever
 * the modes of the files inside.
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}
