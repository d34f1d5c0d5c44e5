/** Secrets that production requires. They protect nothing: a measured product listens on loopback and has generated data. */
export const benchSecrets = {
  jwtSecret: 'signs the tokens of the benchmark only',
  tokenSalt: 'salt of the benchmark',
  adminToken: 'opens-the-admin-api-of-the-benchmark',
} as const;
