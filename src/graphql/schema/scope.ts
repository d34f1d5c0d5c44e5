/**
 * What the caller of a root field needs (graphql.md 2.3): all of the listed actions; or to be some user or a full-access
 * token; or nothing.
 */
export type Scope = readonly string[] | 'authenticated' | 'public';

/** Fields carry their scope in their extensions, where those who extend the schema may set another. */
export interface ScopeExtension extends Record<string, unknown> {
  readonly scope: Scope;
}

export const withScope = (scope: Scope): { readonly extensions: ScopeExtension } => ({ extensions: { scope } });
