module.exports = ({ env }) => ({
  host: '127.0.0.1',
  port: env.int('PORT', 1337),
  app: { keys: ['first-key-of-the-probes-0123456789', 'second-key-of-the-probes-012345678'] },
});
