import type Koa from 'koa';
import type { Context } from 'koa';
import { isRecord, type Values } from '#base/values.js';
import { UnsupportedCodeError } from '../load/unsupported-code.js';

/** Settings of `strapi::session`. The others are options of the cookie. */
interface SessionOptions {
  /** Name of the cookie. */
  readonly key: string;
  /** Milliseconds; `session` for a cookie that ends with the browser. */
  readonly maxAge: number | 'session';
  readonly signed: boolean;
  /** Whether every answer sets the cookie again. */
  readonly rolling: boolean;
  /** Whether the cookie is set again when half of its time is over. */
  readonly renew: boolean;
  readonly autoCommit: boolean;
}

interface CookieState {
  /** Null if code has ended the session. */
  session: object | null;
  /** Values and lifetime as they were sent, as JSON; null if there was no session. */
  readonly cookie: string | null;
  /** Milliseconds since 1970; null if the client sent no session with a time. */
  readonly expiresAt: number | null;
}

const defaults = { key: 'koa.sess', maxAge: 86_400_000, signed: true, rolling: false, renew: false, autoCommit: true };

/** Options of packages that store sessions elsewhere. */
const foreign = ['store', 'ContextStore', 'externalKey'];

/**
 * Returns the options of `strapi::session` in the list of config/middlewares; null if the list does not name it. Throws an
 * UnsupportedCodeError for a store.
 */
export function sessionOptions(list: unknown, environment: string): SessionOptions | null {
  const item: unknown = (Array.isArray(list) ? list : []).find((one: unknown) => nameOf(one) === 'strapi::session');
  if (item === undefined) return null;
  const config = isRecord(item) && isRecord(item['config']) ? item['config'] : {};
  const named = foreign.find((name) => (config[name] ?? null) !== null);
  if (named !== undefined)
    throw new UnsupportedCodeError(`strapi::session: ${named} is not offered: sessions are stored in their signed cookie`);
  const cookie = { overwrite: true, httpOnly: true, secure: environment === 'production', sameSite: null };
  return { ...defaults, ...cookie, ...config };
}

const nameOf = (item: unknown): unknown => (isRecord(item) ? item['name'] : item);

/** The sessions of a project, which are stored in signed cookies in the form of koa-session. */
export class CookieSessions {
  readonly #options: SessionOptions;
  /** By request, because code may pass copies of Koa's context. */
  readonly #states = new WeakMap<object, CookieState>();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Adds `ctx.session`, which is read when code first uses it. */
  extend({ context }: Koa): void {
    const [read, open] = [(ctx: Context) => this.#read(ctx), (ctx: Context, values: Values) => this.#open(ctx, values)];
    Object.defineProperty(context, 'session', {
      get(this: Context) {
        return read(this).session;
      },
      set(this: Context, values: Values | null) {
        read(this).session = values === null ? null : open(this, { ...values });
      },
    });
    Object.defineProperty(context, 'sessionOptions', { value: this.#options });
  }

  /** Sets the cookie if code has changed the session. Called before the answer is sent. */
  commit(ctx: Context): void {
    const held = this.#states.get(ctx.req);
    if (held !== undefined && this.#options.autoCommit) this.#write(ctx, held);
  }

  #read(ctx: Context): CookieState {
    const state = this.#states.get(ctx.req);
    if (state !== undefined) return state;
    const values = decode(ctx.cookies.get(this.#options.key, this.#options));
    const { _expire: end, ...own } = values ?? {};
    const expiresAt = typeof end === 'number' ? end : null;
    const held: CookieState = { session: this.#open(ctx, own), cookie: values && JSON.stringify(own), expiresAt };
    this.#states.set(ctx.req, held);
    return held;
  }

  /** Returns a session with these values. Its other members are not enumerable. */
  #open(ctx: Context, { _maxAge, _session, ...values }: Values): object {
    const maxAge = _session === true ? 'session' : (_maxAge ?? this.#options.maxAge);
    const members = {
      isNew: { value: Object.keys(values).length === 0, writable: true },
      maxAge: { value: maxAge, writable: true },
      length: { get: () => Object.keys(session).length },
      populated: { get: () => Object.keys(session).length > 0 },
      save: { value: () => this.#write(ctx, this.#read(ctx), true) },
      manuallyCommit: { value: async () => Promise.resolve(this.#write(ctx, this.#read(ctx))) },
    };
    const session: object = Object.assign(Object.create(Object.create(Object.prototype, members) as object) as object, values);
    return session;
  }

  #write(ctx: Context, { session, cookie, expiresAt }: CookieState, isForced = false): void {
    const { key, maxAge: usual, rolling, renew } = this.#options;
    if (session === null)
      return cookie === null ? undefined : void ctx.cookies.set(key, '', { ...this.#options, maxAge: 0, expires: past });
    const lifetime: unknown = Reflect.get(session, 'maxAge');
    const [maxAge, marks] = typeof lifetime === 'number' ? [lifetime, { _maxAge: lifetime }] : [undefined, { _session: true }];
    const values = { ...session, ...marks };
    const isChanged = cookie === null ? Object.keys(session).length > 0 : JSON.stringify(values) !== cookie;
    const isOld = renew && expiresAt !== null && expiresAt - Date.now() < Number(maxAge ?? usual) / 2;
    if (!isForced && !isChanged && !(cookie !== null && (rolling || isOld))) return;
    const end = maxAge === undefined ? {} : { _expire: Date.now() + maxAge };
    const text = Buffer.from(JSON.stringify({ ...values, ...end })).toString('base64');
    ctx.cookies.set(key, text, { ...this.#options, maxAge });
  }
}

const past = new Date(0);

/** Returns the values of a cookie that has not expired; null if it is invalid or there is none. */
function decode(cookie: string | undefined): Values | null {
  try {
    const values: unknown = JSON.parse(Buffer.from(cookie ?? '', 'base64').toString('utf8'));
    if (!isRecord(values) || Array.isArray(values)) return null;
    return typeof values['_expire'] === 'number' && values['_expire'] < Date.now() ? null : values;
  } catch {
    return null;
  }
}
