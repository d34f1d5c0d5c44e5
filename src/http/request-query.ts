import qs from 'qs';
import type Koa from 'koa';
import type { Request } from 'koa';
import type { Values } from '../values.js';

interface ReadQuery {
  /** The query string that the object belongs to. Code that changes the query string makes the object invalid. */
  readonly querystring: string;
  readonly query: Values;
}

const queries = new WeakMap<Request, ReadQuery>();

/**
 * Makes `ctx.query` an object of filters, sort and populate, as in Strapi v4. Code may change it in place, and may set another one.
 * `parse` decodes a query string, and may throw a ValidationError.
 */
export function extendQuery(app: Koa, parse: (querystring: string) => Values): void {
  Object.defineProperty(app.request, 'query', {
    get(this: Request): Values {
      const known = readQuery(this);
      if (known !== null) return known;
      const query = parse(this.querystring);
      queries.set(this, { querystring: this.querystring, query });
      return query;
    },
    set(this: Request, query: Values) {
      this.querystring = qs.stringify(query);
      // kept as well, because an empty list of `$in` has no place in a query string
      queries.set(this, { querystring: this.querystring, query });
    },
  });
}

/** Returns the query of a request as code has read or set it; null if no code has. */
export function readQuery(request: Request): Values | null {
  const known = queries.get(request);
  return known !== undefined && known.querystring === request.querystring ? known.query : null;
}
