import { silence, type ReceivedAnswer } from './failure.js';

/** The part of AbortSignal that is used. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Bytes of a body that were sent; `total` is null if unknown. */
export interface Progress {
  readonly loaded: number;
  readonly total: number | null;
}

/** A request with its address, headers and time limit. */
interface Sending {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: Signal | undefined;
  /** Milliseconds; 0 for no limit. */
  readonly timeout: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Further options of fetch. */
  readonly init?: object | undefined;
}

/** The part of fetch that is used. */
export type Fetch = (
  url: string,
  init: object,
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

/** Waits for some milliseconds. Resolves early, with false, when the signal aborts. */
export const pause = (milliseconds: number, signal: Signal | undefined): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve(signal?.aborted !== true);
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
  });

/** Sends a request. Returns the answer, whatever its status. Throws a Failure if there is none. */
export async function transmit(sent: Sending, fetch: Fetch): Promise<ReceivedAnswer> {
  const { signal, timeout, onProgress } = sent;
  const what = `${sent.method} ${sent.url}`;
  if (signal?.aborted === true) throw silence('aborted', what);
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  let isLate = false;
  const expire = (): void => {
    isLate = true;
    stop();
  };
  const timer = timeout > 0 ? setTimeout(expire, timeout) : undefined;
  signal?.addEventListener('abort', stop);
  try {
    const Request = (globalThis as { readonly XMLHttpRequest?: new () => Xhr }).XMLHttpRequest; // of browsers and React Native
    return onProgress !== undefined && Request !== undefined
      ? await byXhr(new Request(), { ...sent, onProgress, signal: controller.signal })
      : await byFetch(fetch, { ...sent, signal: controller.signal });
  } catch (error) {
    throw silence(isLate ? 'timeout' : controller.signal.aborted ? 'aborted' : 'unreachable', what, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

async function byFetch(fetch: Fetch, { url, method, headers, body, signal, init }: Sending): Promise<ReceivedAnswer> {
  const response = await fetch(url, { ...init, method, headers, body, signal });
  return { status: response.status, text: await response.text(), header: (name) => response.headers.get(name) };
}

/** The part of XMLHttpRequest that is used. Unlike fetch it reports the upload progress. */
interface Xhr {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: ((event: ProgressEvent) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: unknown): void;
  abort(): void;
}

interface ProgressEvent {
  readonly loaded: number;
  readonly total: number;
  readonly lengthComputable: boolean;
}

const byXhr = (xhr: Xhr, { url, method, headers, body, signal, onProgress }: Sending): Promise<ReceivedAnswer> =>
  new Promise((resolve, reject) => {
    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total, lengthComputable }) =>
      onProgress?.({ loaded, total: lengthComputable ? total : null });
    xhr.onload = () => {
      resolve({ status: xhr.status, text: xhr.responseText, header: (name) => xhr.getResponseHeader(name) });
    };
    xhr.onerror = xhr.onabort = reject;
    signal?.addEventListener('abort', () => {
      xhr.abort();
    });
    xhr.send(body);
  });
