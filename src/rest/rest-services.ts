import type { Context } from 'koa';
import type { Config } from '../config/config.js';
import type { ContentContext } from '../content/content-context.js';
import type { Media } from '../media/media.js';
import type { QueryCache } from './query-cache.js';
import type { ContentType, Registry } from '../schema/content-type.js';

/** What the REST front end is given. */
export interface RestServices {
  readonly config: Config;
  readonly queries: QueryCache;
  /** The media library, where there is one; entries then take files along. Throws 503 while there is no database. */
  readonly media?: () => Media;
  readonly content: {
    /** The snapshot in force. Throws 503 while there is none. */
    registry(): Registry;
    /** The context of an action that the caller of the request may do. Throws 401 or 403. */
    authorize(ctx: Context, type: ContentType, action: string): Promise<ContentContext>;
  };
}
