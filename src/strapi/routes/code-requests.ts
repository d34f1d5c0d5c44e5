import { AsyncLocalStorage } from 'node:async_hooks';
import { CallerAuth } from '#api/code/caller-state.js';
import { codeAccess } from '#api/code/content-of-code.js';
import { ForbiddenError } from '#base/errors.js';
import type { LimitedRoute } from '#base/limits/attempts.js';
import { withAccess, type ContentContext } from '#content/content-context.js';
import type { RouteCall } from '#http/route.js';
import type { RouteRequest } from '#http/route-request.js';
import { isRecord, type Values } from '#base/values.js';
import type { CodeTransactions } from '../content/code-transactions.js';
import { fullAccess } from '#model/query/access.js';
import { refuseMissing } from '../load/unsupported-code.js';

/** Koa's context for code of a project. Code may also pass a copy with another query. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- code of a project says itself what its context holds
export type CodeContext = Record<string, any>;

interface ActingCaller {
  readonly uid: string;
  readonly content: ContentContext;
}

/** The requests that are handled by code, by the state of their context. */
export class CodeRequests {
  readonly #calls = new WeakMap<object, RouteCall>();
  readonly #counted = new WeakMap<object, LimitedRoute>();
  readonly #acting = new AsyncLocalStorage<ActingCaller>();
  readonly #content: () => ContentContext;
  readonly #transactions: Pick<CodeTransactions, 'contextOf'>;

  /** `content` returns the context of code outside of a request. */
  constructor(content: () => ContentContext, transactions: Pick<CodeTransactions, 'contextOf'>) {
    this.#content = content;
    this.#transactions = transactions;
  }

  begin(ctx: CodeContext, call: RouteCall): void {
    const state = ctx['state'] as { readonly auth?: object }; // set by Koa
    this.#calls.set(state, call);
    if (state.auth !== undefined) this.#calls.set(state.auth, call);
  }

  /** Records the name under which the request was counted as an attempt; undefined if it was not counted. */
  noteCounted(ctx: CodeContext, limit: LimitedRoute | undefined): void {
    if (limit !== undefined) this.#counted.set(Object(ctx['state']) as object, limit);
  }

  wasCounted(ctx: CodeContext, limit: LimitedRoute): boolean {
    return this.#counted.get(Object(ctx['state']) as object) === limit;
  }

  /** Returns the request by `auth` of its state; null if there is none. */
  callOfAuth(auth: unknown): RouteCall | null {
    return typeof auth === 'object' && auth !== null ? (this.#calls.get(auth) ?? null) : null;
  }

  /** Returns the request of a context; null if it does not belong to a route of the project. */
  callOf(ctx: CodeContext): RouteCall | null {
    const state: unknown = ctx['state'];
    return typeof state === 'object' && state !== null ? (this.#calls.get(state) ?? null) : null;
  }

  /**
   * Returns the request of a context with the parameters, query and body that the context has now, which code may have changed;
   * null if it does not belong to a route of the project.
   */
  changedCallOf(ctx: CodeContext): RouteCall | null {
    const call = this.callOf(ctx);
    return call === null ? null : { ...call, content: this.contentOf(ctx), request: changedRequest(call.request, ctx) };
  }

  /** Returns the context of the caller, in the transaction of the code; outside of a request, that of an unknown client. */
  contentOf(ctx: CodeContext): ContentContext {
    const call = this.callOf(ctx);
    return call === null ? withAccess(this.#content(), fullAccess) : this.#transactions.contextOf(call.content);
  }

  /**
   * Runs a function in which the core service of a content type has the row rules and limits of the caller. Like all code it sees
   * everything else.
   */
  acting<Result>(uid: string, ctx: CodeContext, work: () => Promise<Result>): Promise<Result> {
    const content = this.contentOf(ctx);
    const { rules, linkRules } = content.bind.access;
    const access = { ...codeAccess, rules, ...(linkRules && { linkRules }) };
    return this.#acting.run({ uid, content: withAccess(content, access) }, work);
  }

  readonly contextFor = (uid: string): ContentContext => {
    const acting = this.#acting.getStore();
    return acting?.uid === uid ? this.#transactions.contextOf(acting.content) : this.#content();
  };
}

/** Returns a request as code has left it in Koa's context or in a copy of that. */
function changedRequest(request: RouteRequest, ctx: CodeContext): RouteRequest {
  const inner = Object(ctx['request']) as Values;
  const params = Object.entries(Object(ctx['params']) as Values).filter(([, value]) => value !== undefined);
  const copied = [ctx, inner].find((part) => Object.hasOwn(part, 'query'))?.['query'];
  return request.with(Object.fromEntries(params.map(([name, value]) => [name, String(value)])), {
    ...(isRecord(copied) && { query: copied }),
    body: inner['body'],
  });
}

/** `strapi.auth`. Members that log in are not offered. */
export const codeAuth = refuseMissing(
  {
    verify: (auth: unknown, { scope = [] }: { readonly scope?: string | readonly string[] } = {}): Promise<void> => {
      const isAllowed = auth instanceof CallerAuth && [scope].flat().every((action) => auth.ability.can(action));
      return isAllowed ? Promise.resolve() : Promise.reject(new ForbiddenError());
    },
  },
  'strapi.auth',
);
