import type { Context } from 'koa';
import type { ContentContext } from '../content/content-context.js';
import type { Admitted } from '../http/create-gate.js';
import type { Media } from '../media/media.js';
import type { Limits } from '../query/limits.js';
import type { QueryStringLimits } from './parse-query-string.js';

/** What the routes of the media library are given. */
export interface UploadServices {
  readonly limits: Limits & QueryStringLimits;
  /** Throws 503 while there is no database. */
  readonly media: () => Media;
  /** The context of an action that the caller of the request may do. Throws 401 or 403. */
  readonly admit: (ctx: Context, action: string) => Promise<Pick<Admitted, 'content'>>;
}

export interface UploadInput {
  readonly ctx: Context;
  readonly id: number;
  readonly content: ContentContext;
  readonly services: UploadServices;
}
