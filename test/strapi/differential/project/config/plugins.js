module.exports = {
  'users-permissions': { config: { jwtSecret: 'a-jwt-secret-of-the-probes-with-more-than-32-characters' } },
};
