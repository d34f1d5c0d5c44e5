import { Readable } from 'node:stream';
import { onceDone } from '#base/caches.js';
import { ApiError, messageOf, payloadTooLargeError } from '#base/errors.js';
import { withinTime } from '#base/limits/clock.js';
import type { Observer } from '#base/observe/observer.js';
import { copyPlain, type Values } from '#base/values.js';
import type { Config } from '#settings/config.js';
import { openProvider, providerPackage } from '#base/provider-packages.js';
import { type ByteSource, joinBytes } from '../storage/file-storage.js';

/** Another service that keeps new files, by an upload provider of Strapi v4 that the project has installed. */
export interface FileHost {
  /** The value of `provider` of its files. */
  readonly name: string;
  /** Calls a function of the provider, which may change the file. Rejects with its error, or if it has not ended within `server.uploadTimeout`. */
  call(action: HostAction, file: object, options?: unknown): Promise<unknown>;
  /**
   * Sends the bytes of a file or a variant. Returns its attributes as the provider has set them, with `url`. Throws a PayloadTooLargeError if
   * it is too large for the service, otherwise an Error with the message of the provider alone: its errors may have the key of its service.
   */
  send(file: Values, read: () => ByteSource): Promise<HostedFile>;
  /** Deletes the bytes of a file or a variant. A failure is logged, because the file itself is deleted. */
  remove(file: Values): Promise<void>;
}

/** A file or a variant with what the provider has set. */
export interface HostedFile extends Values {
  readonly url: string;
}

/** The functions of an upload provider that change what its service keeps. */
type HostAction = 'upload' | 'uploadStream' | 'delete';

/** An upload provider. Its functions take a file and the options of `actionOptions`. */
type HostProvider = Readonly<Partial<Record<HostAction | 'isPrivate', (file: object, options?: unknown) => unknown>>>;

/** Returns the host that the settings name; null if there is none. Its provider is loaded at once, and the log says why it does not work. */
export function createFileHost(config: Config, observer: Observer): FileHost | null {
  const { host } = config.plugins.upload.config;
  const { provider: name, actionOptions } = host;
  if (name === null) return null;
  const load = onceDone(() => loadUploadProvider(name, config));
  const late = (): Error => new Error('no answer within server.uploadTimeout');
  const call: FileHost['call'] = async (action, file, options = copyPlain(actionOptions[action])) => {
    const provider = await load();
    return withinTime(config.server.uploadTimeout, async () => provider[action]?.(file, options), late);
  };
  const failure = (error: unknown): Error => {
    if (error instanceof ApiError) return error;
    if (error instanceof Error && error.name === 'PayloadTooLargeError') return payloadTooLargeError(error.message);
    return new Error(`the upload provider ${name} has failed: ${messageOf(error)}`);
  };
  tellProblems(load, name, observer);
  return {
    name,
    call,
    send: async (file, read) => {
      const { uploadStream } = await load();
      const sent = await withStreams(read, async (getStream) => {
        const given = { ...file, getStream, ...(uploadStream ? { stream: getStream() } : { buffer: await joinBytes(read()) }) };
        await call(uploadStream ? 'uploadStream' : 'upload', given);
        return given;
      }).catch((error: unknown) => {
        throw failure(error);
      });
      return hostedFile(sent, name);
    },
    remove: async (file) => {
      await call('delete', { ...file }).catch((error: unknown) => {
        const err = failure(error);
        observer.observe({ kind: 'failed', work: 'hosted file', err, about: { hash: file['hash'], url: file['url'] } });
      });
    },
  };
}

/** Runs work with streams of bytes. Rejects if one of them breaks: what reads it may not notice. They end with the work. */
function withStreams<Result>(read: () => ByteSource, work: (open: () => Readable) => Promise<Result>): Promise<Result> {
  const streams: Readable[] = [];
  const result = new Promise<Result>((resolve, reject) => {
    const open = (): Readable => {
      const stream = Readable.from(read()).on('error', reject);
      streams.push(stream);
      return stream;
    };
    work(open).then(resolve, reject);
  });
  return result.finally(() => {
    for (const stream of streams) stream.destroy();
  });
}

/** What providers read of a file besides its attributes. */
const contents: readonly string[] = ['stream', 'buffer', 'getStream'];

function hostedFile(file: Values, name: string): HostedFile {
  const { url } = file;
  if (typeof url !== 'string' || url === '') throw new Error(`the upload provider ${name} gave no url`);
  return { ...Object.fromEntries(Object.entries(file).filter(([key]) => !contents.includes(key))), url };
}

/** Logs why the provider does not work, and that addresses of private files are not signed. */
function tellProblems(load: () => Promise<HostProvider>, name: string, observer: Observer): void {
  const ask = async (): Promise<void> => {
    if ((await (await load()).isPrivate?.({})) === true)
      observer.observe({
        kind: 'code warned',
        text: `files of the upload provider ${name} are private, and their addresses are not signed`,
      });
  };
  ask().catch((err: unknown) => {
    observer.observe({ kind: 'failed', work: 'upload provider', err });
  });
}

/** Loads an upload provider. Rejects if there is no such package, or it has another form. */
export async function loadUploadProvider(name: string, { directory, plugins }: Config): Promise<HostProvider> {
  const installed = providerPackage('upload', name, directory);
  if (installed === null) throw new Error(`the upload provider ${name} is not installed`);
  const provider: HostProvider | null = await openProvider(installed, directory, [plugins.upload.config.host.providerOptions]);
  const has = (action: HostAction): boolean => typeof provider?.[action] === 'function';
  if (provider === null || !has('delete') || !(has('upload') || has('uploadStream')))
    throw new Error(`${installed} is no upload provider: it has no init with delete, and upload or uploadStream`);
  return provider;
}
