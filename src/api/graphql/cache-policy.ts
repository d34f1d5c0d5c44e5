/** Whether shared caches may keep an answer, or only that of the client. */
export type CacheScope = 'PUBLIC' | 'PRIVATE';

/** How long caches may keep the value of a field, in seconds, and which ones may. */
export interface CacheHint {
  readonly maxAge?: number | undefined;
  readonly scope?: CacheScope | undefined;
}

/** The hint for a field or an answer, as Apollo Server 3 has it. */
export class CachePolicy {
  maxAge: number | undefined = undefined;
  scope: CacheScope | undefined = undefined;

  /** Takes over what a hint says. */
  replace({ maxAge, scope }: CacheHint): void {
    this.maxAge = maxAge ?? this.maxAge;
    this.scope = scope ?? this.scope;
  }

  /** Takes over what a hint says, unless the policy allows less already. */
  restrict({ maxAge, scope }: CacheHint): void {
    if (maxAge !== undefined && !(this.maxAge !== undefined && this.maxAge <= maxAge)) this.maxAge = maxAge;
    if (scope !== undefined && this.scope !== 'PRIVATE') this.scope = scope;
  }

  /** Returns the policy with a scope; null if caches may not keep the value. */
  policyIfCacheable(): { readonly maxAge: number; readonly scope: CacheScope } | null {
    const { maxAge, scope = 'PUBLIC' } = this;
    return maxAge === undefined || maxAge === 0 ? null : { maxAge, scope };
  }
}

/** The policies of the fields for which code has asked, by the path of the field in the answer. */
export type CacheHints = Map<string, CachePolicy>;
