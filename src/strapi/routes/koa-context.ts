import { STATUS_CODES } from 'node:http';
import type Koa from 'koa';
import type { Request, Response } from 'koa';
import { extendQuery, parseQueryString, type QueryStringLimits } from '#http/query-string.js';
import { ApiError } from '#base/errors.js';
import { copyPlain, type Values } from '#base/values.js';

/**
 * Adds members of Strapi v4 to Koa's context: `ctx.query` as an object of filters, sort and populate, `ctx.send`, and a method
 * per error status such as `ctx.badRequest(message, details)`. Cookies are signed with `keys`, the value of `server.app.keys`.
 */
export function extendContext(app: Koa, limits: QueryStringLimits, keys: unknown): void {
  const usable = [keys ?? []].flat().filter((key): key is string => typeof key === 'string' && key !== '');
  if (usable.length > 0) app.keys = usable; // without any, a signed cookie is an error
  extendQuery(app, (querystring) => copyPlain(parseQueryString(querystring, limits)) as Values); // with the usual prototype, whose methods code calls
  // In Koa 3 these are the header Origin, and a redirect to a path `back`.
  Object.defineProperty(app.request, 'origin', {
    get(this: Request) {
      return `${this.protocol}://${this.host}`;
    },
  });
  const { redirect } = app.response;
  app.response.redirect = function (this: Response, url: string, otherwise?: string) {
    if (url === 'back') this.back(otherwise);
    else redirect.call(this, url);
  };
  for (const [name, method] of Object.entries(responseMethods)) {
    Object.assign(app.response, { [name]: method });
    Object.assign(app.context, {
      [name](this: { readonly response: Record<string, (...args: unknown[]) => unknown> }, ...args: unknown[]): unknown {
        return this.response[name]?.(...args);
      },
    });
  }
}

type ResponseMethod = (this: Response, ...args: never[]) => void;

/** Returns the method name of a status text: `badRequest` for `Bad Request`. */
function methodName(text: string): string {
  const words = text.replace(/[^A-Za-z ]/g, '').split(/ +/);
  const [first = '', ...rest] = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());
  return first.charAt(0).toLowerCase() + first.slice(1) + rest.join('');
}

/**
 * Returns what an answer shows of an error that code passes as its message: `ctx.badRequest(error)`. As in Strapi v4, an error that is not
 * one of the service may have its own status.
 */
function shownOf(error: unknown): Partial<Record<'status' | 'name' | 'message', unknown>> & { readonly status?: number } {
  if (!(error instanceof Error)) return {};
  const { name, message, status } = error as Error & { readonly status?: unknown }; // code sets it
  const isOwn = typeof status === 'number' && status >= 400 && status < 600 && !(error instanceof ApiError);
  return { name, message, ...(isOwn && { status }) };
}

const errorMethods = Object.fromEntries(
  Object.entries(STATUS_CODES).flatMap(([code, text = '']) => {
    const status = Number(code);
    if (status < 400) return [];
    const method = methodName(text);
    const className = method.charAt(0).toUpperCase() + method.slice(1);
    const name = className.endsWith('Error') ? className : `${className}Error`;
    const refuse: ResponseMethod = function (this: Response, message?: unknown, details: unknown = {}) {
      const error = { status, name, message: typeof message === 'string' ? message : text, ...shownOf(message), details };
      this.status = error.status;
      this.body = { data: null, error };
    };
    return [[method, refuse]];
  }),
);

const responseMethods: Readonly<Record<string, ResponseMethod>> = {
  ...errorMethods,
  send: function (this: Response, data: unknown, status = 200) {
    this.status = status;
    this.body = data;
  },
  created: function (this: Response, data: unknown) {
    this.status = 201;
    this.body = data;
  },
  deleted: function (this: Response, data: unknown) {
    this.status = data === null || data === undefined ? 204 : 200;
    if (this.status === 200) this.body = data;
  },
};
