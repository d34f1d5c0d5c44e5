/** Options whose schema has the fields of all plugins, without refresh tokens. */
export const withPlugins = { accounts: { refreshTokens: false }, upload: true };
