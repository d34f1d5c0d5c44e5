module.exports = {
  auth: { secret: 'a-secret-of-the-probes-with-more-than-32-characters' },
  apiToken: { salt: 'a-salt-of-the-probes-with-more-than-32-characters' },
  transfer: { token: { salt: 'another-salt-of-the-probes-with-more-than-32-characters' } },
};
