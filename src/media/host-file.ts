import type { Values } from '#base/values.js';
import type { BlobName } from '#store/stores/blob-store.js';
import { type FileFormat, type FileValues, nameOf, namesOf, placesOf } from './file-values.js';
import type { FileHost, HostedFile } from './hosting/file-host.js';
import type { Media } from './media.js';
import type { FileInfo } from './parse-file-info.js';
import type { Staging } from './staging.js';

/** A file that is ready to be published, with its attributes and the names of its blobs. */
export interface PreparedFile {
  readonly values: FileValues;
  /** None if the host of files has its bytes. */
  readonly blobs: readonly BlobName[];
  /** What is staged of it, for `Staging.keep`: the file, then its variants. */
  readonly staged: readonly string[];
}

interface Hosting {
  readonly host: FileHost;
  readonly staging: Staging;
  /** Whether the file replaces another one at the same place. */
  readonly isReplacement: boolean;
}

/** Sends a prepared file and its variants to the host. Their bytes here stay unpublished, so that they are deleted after the request. */
export async function hostFile({ values, blobs }: PreparedFile, info: FileInfo, hosting: Hosting): Promise<PreparedFile> {
  const { host, staging, isReplacement } = hosting;
  const send = async (file: FileValues | FileFormat, about: Values = {}): Promise<HostedFile> => {
    const name = nameOf(file);
    const blob = blobs.find((one) => one.name === name);
    if (blob === undefined) throw new Error(`${name} is not staged`);
    return host.send({ ...about, ...file, url: undefined }, () => staging.open(blob, blob.size)); // the provider says the address
  };
  const { alternativeText = null, caption = null } = info;
  const formats = Object.entries(values.formats ?? {});
  const sending = await Promise.allSettled([
    send({ ...values, formats: null }, { alternativeText, caption }),
    ...formats.map(([, format]) => send(format)),
  ]);
  const sent = sending.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  // a replacement may have overwritten the former file, which must stay if the write fails
  const staged = isReplacement ? [] : sent.map((one) => staging.addHosted(one));
  for (const one of sending) if (one.status === 'rejected') throw one.reason;
  const [whole, ...variants] = sent;
  const known = Object.keys(values);
  const set = Object.fromEntries(Object.entries(whole ?? {}).filter(([key]) => known.includes(key)));
  const hosted = {
    ...values,
    ...set,
    formats: values.formats && Object.fromEntries(formats.map(([name], index) => [name, variants[index]])),
    provider: host.name,
  };
  return { values: hosted as FileValues, blobs: [], staged }; // the provider has set values of these types
}

/**
 * Deletes a file and its variants from the host that has them, but for those whose names a replacement has: most providers have overwritten
 * them.
 */
export async function removeHosted(
  file: Values,
  { host }: Pick<Media, 'host'>,
  replacement: Values | null = null,
): Promise<void> {
  if (host === null || file['provider'] !== host.name) return;
  const kept = replacement === null ? [] : namesOf(replacement);
  const names = namesOf(file);
  await Promise.all(placesOf(file).map((place, index) => (kept.includes(names[index] ?? '') ? null : host.remove(place))));
}
