const auth = (action: string): string => `plugin::users-permissions.auth.${action}`;

/** What the two built-in roles may do on a fresh database, by type, in the order of Strapi v4. */
export const defaultGrants: Readonly<Record<string, readonly string[]>> = {
  authenticated: ['plugin::users-permissions.user.me', auth('changePassword')],
  public: [
    auth('callback'),
    auth('connect'),
    auth('forgotPassword'),
    auth('resetPassword'),
    auth('register'),
    auth('emailConfirmation'),
    auth('sendEmailConfirmation'),
  ],
};

/** The built-in roles; the index is the id less one. */
export const builtinRoles = [
  { type: 'authenticated', name: 'Authenticated', description: 'Default role given to authenticated user.' },
  { type: 'public', name: 'Public', description: 'Default role given to unauthenticated user.' },
] as const;
