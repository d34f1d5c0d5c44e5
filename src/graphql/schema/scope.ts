/**
 * What the caller of a root field needs: all of the listed actions; to be some user or a full-access token; nothing; or one action
 * that also counts if the public has it, so that clients may log in while they still send the token of a user.
 */
export type Scope = readonly string[] | 'authenticated' | 'public' | { readonly anyone: string };

/** Fields carry their scope in their extensions, where those who extend the schema may set another. */
export interface ScopeExtension extends Record<string, unknown> {
  readonly scope: Scope;
}

export const withScope = (scope: Scope): { readonly extensions: ScopeExtension } => ({ extensions: { scope } });
