// Every key, its default and its environment variable: docs/configuration.md.
/** @type {import('mangrove').ConfigFile<'server'>} */
export default ({ env }) => ({
  host: env('HOST', '0.0.0.0'),
  port: env.int('PORT', 1337),
  // Set both behind a reverse proxy: the address that clients use, and that its X-Forwarded-* headers hold.
  url: env('PUBLIC_URL'),
  proxy: env.bool('TRUST_PROXY', false),
});
