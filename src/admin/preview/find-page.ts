import type { ApiError } from '#base/errors.js';
import { applicationError } from '#base/errors.js';
import type { RunningService } from '#http/running.js';
import { previewHandler, previewOrigins } from './settings.js';

/** An entry whose page is wanted. */
interface PageSubject {
  readonly uid: string;
  readonly id: number;
  readonly locale: string | null;
  readonly status: 'draft' | 'published';
}

/**
 * Returns the address of the page that shows an entry; null if the configuration names none. Throws an ApplicationError if its handler
 * fails, which is logged, or names a page of an origin that is not allowed.
 */
export async function findPage({ uid, ...entry }: PageSubject, { config, observer }: RunningService): Promise<URL | null> {
  const handler = previewHandler(config);
  if (handler === null) return null;
  let address: unknown;
  try {
    address = await handler(uid, entry);
  } catch (err) {
    observer.observe({ kind: 'failed', work: 'preview handler', err });
    throw unusable('it has failed; the log says why');
  }
  if (address === null || address === undefined || address === '') return null;
  if (typeof address !== 'string' || !URL.canParse(address)) throw unusable('it did not return a whole address');
  const page = new URL(address);
  if (!previewOrigins(config).includes(page.origin))
    throw unusable(`${page.origin} is not one of admin.preview.config.allowedOrigins`);
  return page;
}

const unusable = (reason: string): ApiError =>
  applicationError(`The function admin.preview.config.handler finds no page: ${reason}`);

/** Returns the address of a page with a token, by which the page reads the draft. */
export function withToken(page: URL, token: string): string {
  const address = new URL(page);
  address.searchParams.set('previewToken', token);
  return address.href;
}
