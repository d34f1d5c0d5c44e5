/** What production demands and nobody outside needs: a measured product listens on loopback, over made-up data. */
export const benchSecrets = {
  jwtSecret: 'signs the tokens of the benchmark only',
  tokenSalt: 'salt of the benchmark',
} as const;
