import type { Context } from 'koa';
import type { ContentContext } from '../content/content-context.js';
import type { Running } from '../http/running.js';

/** One request to the media library. */
export interface UploadInput {
  readonly ctx: Context;
  /** 0 if the path names none. */
  readonly id: number;
  readonly running: Running;
  readonly content: ContentContext;
}
